"""Guesses at passwords get slower and slower, and keep nobody out who knows theirs."""

from __future__ import annotations

import pytest

from dashboard.accounts.devices import LASTS_S, LINK_S, Devices
from dashboard.accounts.throttle import FORGET_S, Throttle
from tests.dashboard.accounts_fixtures import Time


@pytest.fixture
def time() -> Time:
    return Time()


def attempts(throttle: Throttle, time: Time, account: str, address: str, seconds: float) -> int:
    """How many wrong passwords somebody gets looked at who tries ten times a second."""
    count, end = 0, time.s + seconds
    while time.s < end:
        count += throttle.begin(account, address) == 0
        time.s += 0.1
    return count


def test_guessing_gets_slower_and_slower(time):
    throttle = Throttle(time)
    assert attempts(throttle, time, "Ann", "10.0.0.9", 3600) <= 20


def test_guessing_at_many_accounts_from_one_address_is_slow(time):
    throttle = Throttle(time)
    count = 0
    for place in range(3000):
        count += throttle.begin(f"name {place}", "10.0.0.9") == 0
        time.s += 0.1
    assert count <= 25


def test_guessing_from_many_addresses_is_slow(time):
    throttle = Throttle(time)
    count = 0
    for place in range(3000):
        count += throttle.begin("Ann", f"10.0.{place // 250}.{place % 250}") == 0
        time.s += 0.1
    assert count <= 820
    count, end = 0, time.s + 24 * 3600
    while time.s < end:  # and so for a day
        place += 1
        count += (
            throttle.begin("Ann", f"10.{place // 250 % 256}.{place // 64000}.{place % 250}") == 0
        )
        time.s += 1.0
    assert count <= 20_000


def test_attempts_at_the_same_moment_are_slowed_too(time):
    throttle = Throttle(time)
    assert [throttle.begin("Ann", "10.0.0.9") == 0 for _ in range(50)].count(True) == 3


def test_the_right_password_is_let_in_and_forgets(time):
    throttle = Throttle(time)
    for _ in range(100):
        assert throttle.begin("Ann", "10.0.0.2") == 0
        throttle.passed("Ann", "10.0.0.2")


def test_a_director_elsewhere_is_not_kept_out_by_guesses(time):
    throttle = Throttle(time)
    attempts(throttle, time, "Ann", "10.0.0.9", 3600)
    assert throttle.begin("Ann", "10.0.0.2") == 0


def hammered(throttle: Throttle, time: Time, addresses: int, seconds: float) -> int:
    """How many of an account's right log-ins wait, once every 1.5 s, while others guess at it.

    They come from an address of their own, without a device that is known.
    """
    refused, step = 0, 0
    while step * 0.025 < seconds:
        throttle.begin("Ann", f"10.1.{step % addresses // 250}.{step % addresses % 250}")
        if step % 60 == 0:
            if throttle.begin("Ann", "192.0.2.7") == 0:
                throttle.passed("Ann", "192.0.2.7")
            else:
                refused += 1
        step += 1
        time.s += 0.025
    return refused


@pytest.mark.parametrize("addresses", [2, 50, 240])
def test_guessing_from_many_addresses_keeps_no_newcomer_out(time, addresses):
    assert hammered(Throttle(time), time, addresses, 600) == 0


def test_a_device_that_is_known_never_waits_for_strangers(time):
    throttle = Throttle(time)
    for place in range(5000):
        throttle.begin("Ann", f"10.{place // 250}.0.{place % 250}")
        throttle.begin("Ann", "192.0.2.7")  # even from the director's own address
    assert throttle.begin("Ann", "192.0.2.8") > 0
    assert throttle.begin("Ann", "192.0.2.7") > 0
    for _ in range(20):
        assert throttle.begin("Ann", "192.0.2.7", "phone") == 0
        throttle.passed("Ann", "192.0.2.7", "phone")


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_whoever_sits_at_the_machine_never_waits_for_strangers(time, address):
    throttle = Throttle(time)
    for place in range(5000):
        throttle.begin("Ann", f"127.0.{place // 250}.{2 + place % 250}")
    for _ in range(20):
        assert throttle.begin("Ann", address) == 0
        throttle.passed("Ann", address)


@pytest.mark.parametrize(("address", "device"), [("10.0.0.9", "phone"), ("127.0.0.1", None)])
def test_those_who_are_no_strangers_may_not_guess_either(time, address, device):
    throttle, count, end = Throttle(time), 0, time.s + 3600
    while time.s < end:
        count += throttle.begin("Ann", address, device) == 0
        time.s += 0.1
    assert count <= 130


def test_one_customers_ipv6_addresses_are_one(time):
    throttle = Throttle(time)
    looked_at = sum(throttle.begin("Ann", f"2001:db8::{n:x}") == 0 for n in range(100))
    assert looked_at == 3
    assert throttle.begin("Ann", "2001:db8:0:1::1") == 0


def test_a_device_is_known_to_its_own_account_alone(time):
    devices = Devices(b"s" * 32, time)
    value = devices.issue("Ann")
    device = devices.known("ann ", value)
    assert device
    assert devices.known("Bob", value) is None
    assert Devices(b"t" * 32, time).known("Ann", value) is None
    changed = value.replace(device, "0" * 16)
    for forged in (
        "",
        "x",
        f"{device}.",
        f"{device}.1.",
        changed,
        value + "0",
        value[:-1],
        "a.b.ü",
    ):
        assert devices.known("Ann", forged) is None
    assert devices.cookie("Ann") == devices.cookie(" ANN") != devices.cookie("Bob")
    time.s += LASTS_S + 1
    assert devices.known("Ann", value) is None


def test_the_code_of_a_link_is_for_one_account_and_for_an_hour(time):
    devices = Devices(b"s" * 32, time)
    code = devices.link_code("Ann")
    assert devices.is_link_code(" ann", code)
    assert not devices.is_link_code("Bob", code)
    assert not devices.is_link_code("Ann", devices.issue("Ann"))
    assert devices.known("Ann", code) is None
    assert not Devices(b"t" * 32, time).is_link_code("Ann", code)
    time.s += LINK_S + 1
    assert not devices.is_link_code("Ann", code)


def test_failures_are_forgotten(time):
    throttle = Throttle(time)
    attempts(throttle, time, "Ann", "10.0.0.9", 600)
    time.s += FORGET_S + 1
    assert [throttle.begin("Ann", "10.0.0.9") for _ in range(3)] == [0, 0, 0]


def test_what_is_remembered_is_bounded(time):
    throttle = Throttle(time)
    for place in range(20_000):
        throttle.begin("Ann" if place % 2 else str(place), f"10.{place % 256}.{place // 256}.1")
        time.s += 40
    assert len(throttle._failures) <= 10_003
