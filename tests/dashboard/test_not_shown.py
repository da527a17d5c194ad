"""Games and players that are not shown: what may not be known is in no public answer.

Two tables with other moves give the same answers while the game is withheld, at every address of
the application; and the same for what is newer than the delay.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from dashboard.app import create_app
from dashboard.site import Site, table_over
from dashboard.tokens import Tokens
from game.events import (
    ButtonPressed,
    ClockAdjusted,
    GameEnded,
    PenaltyAdded,
    PlayersNamed,
    PublicationDecided,
    Retracted,
    StopExplained,
    other,
)
from game.schema import View
from record.log.event_log import EventLog
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.publication import NOT_SHOWN, Decided, level_of
from table.views.views import view
from tests.dashboard.conftest import NAMES, SECOND, TURNS, GameInLog
from tests.dashboard.surfacekit import answers, differing

pytestmark = pytest.mark.usefixtures("one_minute")

OTHERS = (("8H", "QUEENS"), ("", ""), ("M8", ".AZY"), ("", ""), ("8M", ".D"), ("", ""))
"""Other moves than those of ``TURNS``."""

VALUES = {
    "table_id": ("1",),
    "game_id": ("game-1", "game-0"),
    "slot": ("1", "feature"),
    "name": ("score", "last_play", "unseen_tiles", "blank1", "p1_score.txt", "score.txt", "table"),
    "field": ("score", "last_play"),
    "broadcast": ("any",),
    "number": (1, 2, 6),
    "sha256": ("0" * 64,),
    "chosen": ("de",),
}


class World:
    """A table's public application over a log of its own."""

    def __init__(
        self, folder, stack: ExitStack, public: PublicPolicy = FULLY_OPEN, desk=None
    ) -> None:
        folder.mkdir()
        self.log = stack.enter_context(EventLog(folder / "tilewatch.db"))
        self.now_ns = 2000 * SECOND
        table = table_over(
            self.log, id="1", name="Table 1", clock=lambda: self.now_ns, public=public, desk=desk
        )
        self.table, self.site = table, Site((table,))
        stack.callback(self.site.close)
        self.app = create_app(self.site, folder / "data", embed=("https://club.example",))
        self.app.testing = True
        tokens = self.app.extensions["tilewatch.Tokens"]
        assert isinstance(tokens, Tokens)
        secret = tokens.make("t", "overlay", by="Ann")[1]
        self.headers = [{}, {"Authorization": f"Bearer {secret}"}]
        earlier = GameInLog(self.log, "game-0", t_ns=500 * SECOND)
        earlier.start({"left": "Uma", "right": "Vic"}).play("8D", "EARLY")
        earlier.put(GameEnded("shortened", earlier.t_ns, "director"))
        self.game = GameInLog(self.log, "game-1").start()

    def decide(self, shown: str, holds: str = "game") -> int:
        event = PublicationDecided(shown, "Ann", "refused", self.game.t_ns, holds)
        self.game.put(event)
        return len(self.log.events("game-1"))

    def everything(self, **more) -> dict[str, bytes]:
        return answers(self.app, VALUES, self.headers, **more)


@pytest.fixture
def world(tmp_path):
    with ExitStack() as stack:
        count = iter(range(100))
        yield lambda **options: World(tmp_path / f"w{next(count)}", stack, **options)


def pair(world, decisions: tuple[str, ...], **options) -> tuple[World, World]:
    """Two tables that differ in their moves alone, with the same decisions in mid-game."""
    made = (world(**options), world(**options))
    for one, turns in zip(made, (TURNS, OTHERS), strict=True):
        one.game.plays(turns[:2])
        # A page that was open before comes again, with the id of what it saw.
        one.headers.append({"Last-Event-ID": one.table.public.kept()[-2].id})
        for decision in decisions:
            one.decide(decision)
        one.game.plays(turns[2:-1])
        one.game.t_ns += len(turns[0][1]) * SECOND
        one.game.play(*turns[-1])
        one.game.t_ns = 1600 * SECOND
    return made


SAYS_NOTHING = (("result",), ("nothing", "all", "nothing"))


@pytest.mark.parametrize("decisions", SAYS_NOTHING)
def test_no_public_answer_depends_on_the_moves_of_a_withheld_game(world, decisions):
    one, other = pair(world, decisions)
    assert differing(one.everything(), other.everything()) == []


@pytest.mark.parametrize("policy", [{"games": "result"}, {"players": {"SOREN, José": "nothing"}}])
def test_nor_where_the_event_s_default_or_a_player_s_entry_says_so(world, policy):
    one, other = pair(world, (), public=PublicPolicy.model_validate(policy))
    assert differing(one.everything(), other.everything()) == []


def test_the_comparison_sees_what_a_shown_game_tells(world):
    one, other = pair(world, ("result", "all"))
    found = " ".join(differing(one.everything(), other.everything()))
    for path in (
        *("/ ", "/tables/1 ", "/embed/tables/1 ", "/tables/1/live ", "/tables/1/live/events "),
        *("/tables/1/picture.png", "/tables/1/games/game-1/picture.png", "game-1/game.gcg"),
        *("/api/v1/tables/1/turns", "/api/v1/tables/1/game.gcg", "/api/v1/tables/1/clocks"),
        *("/overlay/1/live ", "/overlay/1/live/events", "/overlay/1/scene", "/obs/1/last_play"),
        *("/obs/1/events", "/api/broadcasts/obs/any/1/score", "/tables/1/games "),
    ):
        assert path in found, path


def stop(game: GameInLog) -> None:
    """Have the clock stopped for a challenge, time added, points taken off and a name mended."""
    t_ns, side = game.t_ns + SECOND, game.side
    for event in (
        ButtonPressed("neutral", t_ns),
        StopExplained(4, "challenge", "TD", "", t_ns),
        ClockAdjusted(side, 5 * SECOND, None, "TD", "", t_ns),
        PenaltyAdded(side, 5, None, "TD", "", t_ns),
        PlayersNamed({side: "Eve"}, "TD", t_ns, ""),
        ButtonPressed(other(side), t_ns + SECOND),
    ):
        game.put(event)


DELAYS = ({"delay_min": 10}, {"delay_turns": 2}, {"delay_min": 5, "delay_turns": 1})


@pytest.mark.parametrize("delay", DELAYS)
def test_no_public_answer_depends_on_what_is_newer_than_the_delay(world, delay):
    made = [world(public=PublicPolicy.model_validate(delay)) for _ in range(2)]
    for one, last in zip(made, (TURNS[4], ("", "")), strict=True):
        one.game.plays(TURNS[:4])
        if last == ("", ""):
            stop(one.game)
        one.game.play(*last)
        one.now_ns = one.game.t_ns + 60 * SECOND
    one, other = (each.everything(queries=("", "?hall", "?delay=10")) for each in made)
    public = [path for path in differing(one, other) if path.endswith(" 0")]
    assert public == []
    assert any(path.endswith(" 1") for path in differing(one, other))  # a token's is not delayed


def steps(seed: int) -> Iterator[str]:
    """Yield the steps of a game in which somebody decides again and again what may be shown."""
    rng = random.Random(seed)
    for _ in range(20):
        yield rng.choice(("all", "result", "nothing", "play", "play", "play"))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("delay", [{}, *DELAYS])
def test_switched_on_and_off_at_random_a_withheld_game_tells_nothing(world, delay, seed):
    """The same switches at two tables whose moves differ; streams are resumed from any view."""
    made = [world(public=PublicPolicy.model_validate(delay)) for _ in range(2)]
    moves, known = ([*TURNS], [*OTHERS]), ([""], [""])
    now = "all"
    for step in steps(seed):
        for one, left in zip(made, moves, strict=True):
            if step != "play":
                one.decide(step)
            elif left:
                one.game.play(*left.pop(0))
            one.now_ns = one.game.t_ns + SECOND
        now = now if step == "play" else step
        for audience in ("public", "broadcast"):
            feeds = [one.table.feeds[audience] for one in made]
            views = [
                [m for last in ids for m in feed.since(last) if m.view["game_id"] == "game-1"]
                for feed, ids in zip(feeds, known, strict=True)
            ]
            for messages, ids in zip(views, known, strict=True):
                assert all(m.view.get("withheld", "all") == now for m in messages)
                assert now == "all" or not any(m.view["turns"] for m in messages)
                ids += [m.id for m in messages[-2:]]
            if now != "all":
                assert {m.data for m in views[0]} == {m.data for m in views[1]}
                assert {m.id for m in views[0]} == {m.id for m in views[1]}


def test_a_view_that_waits_to_be_sent_is_not_sent_once_its_game_is_withheld(world):
    one = world()
    one.game.plays(TURNS[:2])
    feed = one.table.public
    kept = feed.latest()
    assert feed.allows(kept)
    one.decide("result")
    assert not feed.allows(kept)
    assert feed.allows(feed.latest())


def test_a_decision_ends_a_wait_at_once_and_a_withheld_game_then_waits_quietly(world):
    one = world()
    one.game.plays(TURNS[:2])
    feed = one.table.public
    last = feed.latest().id
    one.decide("result")
    assert feed.wait(last, 5)
    shown = feed.latest()
    assert shown.view["withheld"] == "result"
    one.game.plays(TURNS[2:4])
    assert not feed.wait(shown.id, 0.1)
    assert feed.latest().id == shown.id  # nothing tells that somebody has moved
    assert feed.now_ns() == 0


def test_the_result_is_shown_once_it_is_final_and_nothing_else(world):
    one = world()
    one.game.plays(TURNS)
    one.decide("result")
    latest = one.table.public.latest().view
    assert (latest["scores"], latest["final"]) == ({"left": 0, "right": 0}, False)
    one.game.end()
    latest = one.table.public.latest().view
    scores = one.table.folded.shown().state.scores
    assert latest["scores"] == scores
    assert latest["players"]["left"]["score"] == scores["left"]
    assert latest["outcome"]["winner"]
    assert not (latest["turns"] or latest["squares"] or latest["adjustments"])
    client = one.app.test_client()
    page = client.get("/tables/1").text
    assert NOT_SHOWN in page
    assert "won by" in page
    assert "Bingos" not in page
    assert client.get("/tables/1/games/game-1/game.gcg").status_code == 404
    assert "not shown" in client.get("/tables/1/games").text
    one.decide("nothing")
    latest = one.table.public.latest().view
    assert (latest["scores"], latest["outcome"]) == ({"left": 0, "right": 0}, None)
    assert "not shown" not in client.get("/tables/1/games").text


def test_a_decision_can_be_taken_back_and_the_newest_holds(world):
    one = world()
    one.game.plays(TURNS[:2])

    def shown() -> str | None:
        return one.table.public.latest().view.get("withheld")

    one.decide("result")
    second = one.decide("nothing")
    assert shown() == "nothing"
    one.game.put(Retracted(second, "Ann", "a slip", one.game.t_ns))
    assert shown() == "result"
    one.decide("all")
    assert shown() is None
    assert len(one.table.public.latest().view["turns"]) == 2
    one.decide("nothing", "table")
    assert shown() == "nothing"


def test_a_view_of_a_withheld_game_has_every_field_of_a_view(world):
    one = world()
    one.game.plays(TURNS)
    whole = view(one.table.folded.shown().state, "public")
    one.decide("result")
    shown = one.table.public.latest().view
    assert shown.keys() - {"withheld"} == whole.keys() - {"unseen"}
    View.model_validate(shown)


def test_the_director_and_the_players_see_a_withheld_game_as_ever(world):
    one = world()
    one.game.plays(TURNS)
    one.decide("nothing")
    for audience in ("director", "player"):
        assert len(one.table.feeds[audience].latest().view["turns"]) == len(TURNS)


MINORS = PublicPolicy.model_validate({"players": {"josé & søren": "initials"}})


@pytest.mark.parametrize("public", [MINORS, PublicPolicy(names="initials")])
def test_a_name_in_initials_is_in_full_in_no_public_answer(world, public):
    one = world(public=public)
    one.game.plays(TURNS)
    one.game.end()
    found = one.everything()
    full = ("Søren", "S\\u00f8ren", "José", "Jos\\u00e9")
    assert [path for path, body in found.items() if any(n.encode() in body for n in full)] == []
    assert b"J. S." in found["/tables/1/games/game-1/game.gcg 0"]
    assert b"J. S." in found["/tables/1 0"]
    record = found["/tables/1/games/game-1/game.gcg 0"].split(b"\n")[0]
    assert b"soren" not in record.lower() and b"j-s" in record


def test_a_name_that_is_corrected_is_shortened_in_what_was_shown_before(world):
    one = world(public=MINORS)
    one.game.play(*TURNS[0])
    one.table.public.latest()
    one.game.put(PlayersNamed({"left": "José & Søren", "right": "Bo"}, "Ann", one.game.t_ns, ""))
    for message in one.table.public.kept():
        if message.view["game_id"] == "game-1":
            names = [one["name"] for one in message.view["players"].values()]
            assert not {"José & Søren", NAMES["left"]} & set(names), message.seq


def test_a_game_without_players_is_shown_as_the_event_says():
    assert level_of(PublicPolicy(games="result"), {}, Decided()) == "result"
