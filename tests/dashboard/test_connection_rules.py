"""Which connections are held and which are closed: the rules, without a server."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.addresses import is_this_machine, same, share_of
from dashboard.streaming.asgi import Turns
from dashboard.streaming.connections import Held, Phase, overdue, surplus
from dashboard.streaming.streams import StreamLimiter
from table.config import ConfigError, load_config
from table.server_config import Limits
from tests.machine import PATIENCE_S

LIMITS = Limits(connections=16, connections_per_address=8, incomplete_per_address=3)


def held(*described: tuple[str, Phase] | tuple[str, Phase, bool]) -> dict[int, Held]:
    """Connections in the order in which their phases began."""
    return {
        number: Held(one[0], one[1], float(number), len(one) > 2)
        for number, one in enumerate(described)
    }


def test_a_connection_too_many_closes_nothing_while_there_is_room():
    connections = held(*[("a", Phase.IDLE)] * 7, ("a", Phase.HEADER))
    assert surplus(connections, 7, LIMITS) == []


def test_an_address_has_few_half_sent_requests():
    three = held(("a", Phase.IDLE), ("a", Phase.BODY), ("a", Phase.HEADER), ("a", Phase.HEADER))
    assert surplus(three, 3, LIMITS) == []
    four = held(("a", Phase.IDLE), *[("a", Phase.BODY)] * 3, ("a", Phase.HEADER))
    assert surplus(four, 4, LIMITS) == [1]
    assert surplus(held(*[("b", Phase.HEADER)] * 3, ("a", Phase.HEADER)), 3, LIMITS) == []


def test_an_address_that_has_its_share_loses_what_waits_longest():
    answering = [("a", Phase.ANSWERING)] * 6
    assert surplus(held(*answering, ("a", Phase.IDLE), ("a", Phase.IDLE), ("a", Phase.HEADER)),
                   8, LIMITS) == [6]  # fmt: skip
    sending = held(*answering, ("a", Phase.SENDING), ("a", Phase.SENDING), ("a", Phase.HEADER))
    assert surplus(sending, 8, LIMITS) == [6]
    # All of its share is being answered: nothing of that is cut off.
    busy = held(*[("a", Phase.ANSWERING)] * 8, ("a", Phase.HEADER))
    assert surplus(busy, 8, LIMITS) == [8]


def test_a_full_server_closes_what_waits_of_whoever_has_most():
    some = [("b", Phase.IDLE)] * 2 + [("a", Phase.IDLE)] * 6 + [("c", Phase.ANSWERING)] * 8
    assert surplus(held(*some, ("d", Phase.HEADER)), 16, LIMITS) == [2]
    # Where nothing waits it stays open: a place is free soon.
    busy = [(share, Phase.ANSWERING) for share in "abcd" * 4]
    assert surplus(held(*busy, ("e", Phase.HEADER)), 16, LIMITS) == []


def test_who_is_vouched_for_is_closed_for_nobody_and_takes_no_share():
    known = [("a", Phase.IDLE, True)] * 9
    strangers = [("b", Phase.IDLE)] * 7
    assert surplus(held(*known, *strangers, ("a", Phase.HEADER)), 16, LIMITS) == [9]


def test_a_proxys_connections_are_nobodys_share():
    proxied = {n: Held(None, Phase.HEADER, float(n)) for n in range(16)}
    assert surplus(proxied, 15, LIMITS) == []


def test_every_phase_has_its_time():
    limits = Limits(header_s=10, body_s=30, idle_s=60, stalled_s=20)
    begun = {phase: Held("a", phase, 100.0) for phase in Phase}
    assert overdue(begun, limits, 109.0) == []
    assert overdue(begun, limits, 111.0) == [Phase.HEADER]
    assert overdue(begun, limits, 121.0) == [Phase.HEADER, Phase.SENDING]
    assert set(overdue(begun, limits, 161.0)) == set(Phase) - {Phase.ANSWERING, Phase.IDLE}


def test_visitors_take_turns():
    """A visitor with fifty requests keeps others waiting for one of them at most."""
    order: list[tuple[str, int]] = []

    async def answered(turns: Turns, visitor: str, number: int) -> None:
        async with turns.turn(visitor):
            order.append((visitor, number))
            await asyncio.sleep(0)

    async def crowd() -> None:
        turns = Turns(1)
        asked = [("greedy", number) for number in range(50)]
        asked += [("Ann", 1), ("Bob", 1), ("Ann", 2)]
        await asyncio.gather(*(answered(turns, *one) for one in asked))

    asyncio.run(crowd())
    assert order[:7] == [("greedy", 0), ("greedy", 1), ("Ann", 1), ("Bob", 1), ("greedy", 2),
                         ("Ann", 2), ("greedy", 3)]  # fmt: skip
    assert [number for _, number in order[7:]] == list(range(4, 50))


def test_a_request_that_is_given_up_keeps_no_place():
    async def crowd() -> None:
        turns = Turns(1)
        async with turns.turn("Ann"):
            given_up = asyncio.create_task(turns.turn("Bob").__aenter__())
            await asyncio.sleep(0)
            given_up.cancel()
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE_S), turns.turn("Cyd"):
            pass

    asyncio.run(crowd())


def test_whose_address_it_is():
    assert share_of("::ffff:192.0.2.1") == share_of("192.0.2.1")
    assert share_of("2001:db8::1") == share_of("2001:db8::ffff") != share_of("2001:db8:0:1::1")
    assert share_of("fe80::1%eth0") == share_of("fe80::2")
    assert share_of("unknown") == "unknown"
    assert is_this_machine("::ffff:127.0.0.1")
    assert not is_this_machine("127.0.0.2")
    assert same("::ffff:127.0.0.1", "127.0.0.1")
    assert not same("", "")


def test_no_visitor_has_more_than_a_share_of_the_places():
    gate = StreamLimiter(5, share=2)
    leave = gate.enter("a")
    assert gate.enter("a") is not None
    assert gate.enter("a") is None
    assert gate.enter("b") is not None
    assert leave is not None
    leave()
    leave()
    assert gate.enter("a") is not None
    assert gate.enter("a") is None
    assert [gate.enter() is not None for _ in range(3)] == [True, True, False]


def test_the_owners_file_sets_the_limits(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text("[serve.limits]\nconnections = 32\nheader_s = 2.5\n")
    limits = load_config(file).serve.limits
    assert (limits.connections, limits.header_s, limits.body_s) == (32, 2.5, 30.0)
    for wrong, says in (
        ("connections = 1", r"serve\.limits\.connections"),
        ("header_s = 0.0", r"serve\.limits\.header_s"),
        ("heads = 1", r"unknown key 'serve\.limits\.heads'; known are connections"),
    ):
        file.write_text(f"[serve.limits]\n{wrong}\n")
        with pytest.raises(ConfigError, match=says):
            load_config(file)
