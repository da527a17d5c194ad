"""Games and players that are not shown, at a hub: in no public answer is what may not be known."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from dashboard.app import create_app
from dashboard.event import install
from game.events import PublicationDecided, ResultSigned
from hub.errors import HubError
from hub.hub import Hub
from hub.pages import register
from hub.run import event_of
from hub.service import HubService
from record.log.event_log import EventLog
from record.signing import KEY_FILE, TableKey
from table.desk import ListPlayers
from tests.dashboard.conftest import TURNS, GameInLog
from tests.dashboard.surfacekit import answers, differing
from tests.hub.pagekit import TOURNEY, pairings_file
from tests.hub.servicekit import no_broker
from tests.machine import until

pytestmark = pytest.mark.usefixtures("one_minute")

OTHERS = (("8H", "QUEENS"), ("", ""), ("M8", ".AZY"))
QUERIES = ("", "?all", "?q=ito", "?hall")
NAMES = {"left": "Aiko Ito", "right": "Bo"}

VALUES = {
    "table_id": ("table-1",),
    "game_id": ("game-1",),
    "slot": ("table-1",),
    "name": ("score", "last_play"),
    "field": ("score",),
    "broadcast": ("any",),
    "number": (1, 2),
    "sha256": ("0" * 64,),
    "chosen": ("de",),
    "key": ("aiko ito", "bo", "a. i."),
    "own": ("aiko ito", "a. i."),
    "other": ("bo",),
    "division": ("A",),
}


def _hub_key(folder: Path) -> Path:
    """The key of all hubs of a test: a feed's ids have it."""
    TableKey.open(folder / "hub.key")
    return folder / "hub.key"


class World:
    """A hub that nobody starts, with one table and its game."""

    def __init__(self, folder, stack: ExitStack, public: dict) -> None:
        folder.mkdir()
        pairings = pairings_file(folder, TOURNEY)
        config = no_broker(pairings=pairings, public=public)
        (folder / "hub").mkdir()
        shutil.copy(_hub_key(folder.parent), folder / "hub" / "hub.key")
        self.service = HubService(config, folder / "hub")
        self.service.run = "run"
        stack.callback(self.service.store.close)
        key = TableKey.open(folder / KEY_FILE)
        self.service.store.enrol("table-1", "Table 1", key.public, None)
        self.service.admit()
        self.app = create_app(self.service.site, folder / "hub", embed=("https://a.example",))
        self.app.testing = True
        register(self.app, self.service)
        install(self.app, event_of(self.service))
        stack.callback(self.service.close_streams)
        self.log = stack.enter_context(EventLog(folder / "tilewatch.db", key=key))
        self.game = GameInLog(self.log, "game-1").start(NAMES)
        self.seq = 0

    def mirror(self) -> None:
        """Let the hub have what the table has logged."""
        hub: Hub = self.service.hub
        events = self.log.events(after=self.seq)
        self.seq = self.log.last_seq
        self.service.store.add([("table-1", event) for event in events])
        hub.log("table-1").grown()
        self.service._records("table-1", events)
        self.service.hall.draw("table-1")

    def decide(self, shown: str) -> None:
        self.game.put(PublicationDecided(shown, "Ann", "refused", self.game.t_ns))

    def end(self) -> None:
        self.game.end()
        self.game.put(ResultSigned("Ann", self.game.t_ns))

    def everything(self) -> dict[str, bytes]:
        self.mirror()
        return answers(self.app, VALUES, queries=QUERIES)


@pytest.fixture
def world(tmp_path):
    with ExitStack() as stack:
        count = iter(range(100))
        yield lambda **public: World(tmp_path / f"w{next(count)}", stack, public)


def pair(world, **public) -> tuple[World, World]:
    made = (world(**public), world(**public))
    for one, turns in zip(made, (TURNS, OTHERS), strict=True):
        one.game.plays(turns[:2])
        one.mirror()
        one.decide("nothing")
        one.game.plays(turns[2:])
    return made


@pytest.mark.parametrize("is_over", [False, True])
def test_no_public_answer_of_a_hub_depends_on_a_withheld_game(world, is_over):
    made = pair(world)
    for one in made:
        if is_over:
            one.end()
    assert differing(*(one.everything() for one in made)) == []
    for one in made:
        one.decide("all")
    found = " ".join(differing(*(one.everything() for one in made)))
    for path in ("/ ", "/hall", "/api/v1/hall", "/event/rounds/1", "/event/players/bo"):
        assert path in found, path
    if is_over:
        for path in (
            "/results ",
            "/results.csv",
            "/results/A.t",
            "/event/plays",
            "/event/standing",
        ):
            assert path in found, path


def test_of_a_game_with_its_result_alone_no_play_is_told(world):
    one = world(games="result")
    one.game.plays(TURNS)
    one.end()
    found = one.everything()
    state = one.service.tables.table("table-1").folded.shown().state
    points = str(state.scores["left"]).encode()
    for path in ("/results ", "/results.csv ", "/event/rounds/1 ", "/tables/table-1 "):
        assert points in found[f"{path}0"], path
    words = [turn.word.encode() for turn in state.turns if turn.word and len(turn.word) > 3]
    assert words
    assert [path for path, body in found.items() if any(word in body for word in words)] == []
    (result,) = one.service.event.public().results
    assert not result.plays


def test_a_listed_player_is_shown_by_initials_on_every_page(world):
    one = world()
    one.game.plays(TURNS)
    one.end()
    one.mirror()
    one.service.list_player("ITO, Aiko", ["initials"])
    found = one.everything()
    director = ("/director", "/api/v1/enrol")
    public = {path: body for path, body in found.items() if not path.startswith(director)}
    asked = {
        path for path in public if "q=ito" in path or "aiko" in path
    }  # they repeat what was asked
    full = (b"Aiko", b"aiko", b"Ito,")
    assert [
        p for p, body in public.items() if p not in asked and any(n in body for n in full)
    ] == []
    for path in ("/results ", "/event/standings ", "/event/rounds/1 ", "/event/players ", "/ "):
        assert b"A. I." in found[f"{path}0"], path
    assert found["/event/players/aiko%20ito 0"].startswith(b"404")
    assert found["/event/players/a.%20i. 0"].startswith(b"200")
    assert b"A. I." not in found["/event/search?q=ito 0"]
    assert b"A. I." in found["/results/A.t 0"]
    one.service.list_player("aiko ito", [])
    assert b"Aiko Ito" in one.everything()["/event/standings 0"]


def test_two_players_never_have_the_same_initials_and_they_last(world):
    one = world()
    for name in ("Ann Bee", "Abe Bo", "Al Bas"):
        one.service.list_player(name, ["initials"])
    naming = one.service.rules.naming()
    assert [naming(name) for name in ("Ann Bee", "Abe Bo", "Ann Bee")] == [
        "A. B.", "A. B. 2", "A. B.",
    ]  # fmt: skip
    one.service.list_player("Ann Bee", [])
    naming = one.service.rules.naming()
    assert [naming(name) for name in ("Ann Bee", "Abe Bo", "Al Bas")] == [
        "Ann Bee", "A. B. 2", "A. B. 3",
    ]  # fmt: skip
    assert naming("") == ""
    assert naming("Left") == "Left"


def test_a_wrong_entry_of_the_list_is_refused(world):
    one = world()
    with pytest.raises(HubError, match="a name has"):
        one.service.list_player(" ", ["initials"])
    with pytest.raises(HubError, match="choose one of all"):
        one.service.list_player("Ann Bee", ["invisible"])
    assert not one.service.rules.listed()


def test_the_tables_get_the_list_for_their_own_pages(venue):
    table = venue.table("table-1")
    taken: list[ListPlayers] = []
    table.desk.on_list = taken.append
    venue.service.list_player("Ann Bee", ["initials"])
    assert until(lambda: taken)
    assert taken[-1].players == {"Ann Bee": ("initials",)}
    venue.service.list_player("Ann Bee", [])
    assert until(lambda: not taken[-1].players)


def test_the_director_keeps_the_list_in_the_hall_and_nobody_else_does(pages):
    path, given = "/director/hall/players", {"name": "Ann Bee", "games": "result", "named": ""}
    assert pages.post(path, given, director=False).status_code in (401, 403)
    assert pages.post(path, given).get_json() == {"done": True}
    shown = pages.get("/director/hall/state", director=True).get_json()["shown"]
    assert shown["listed"] == {"Ann Bee": ["results only"]}
    assert "Ann Bee" in pages.get("/director/hall", director=True).text
    assert "choose" in pages.post(path, given | {"games": "invisible"}).get_json()["error"]
    assert pages.post(path, {"name": "bee, ann"}).get_json() == {"done": True}
    assert not pages.get("/director/hall/state", director=True).get_json()["shown"]["listed"]


def test_at_a_hub_commentators_get_what_the_hub_knows(world):
    one = world()
    one.game.plays(TURNS[:2])
    one.mirror()
    secret = one.app.extensions["tilewatch.Tokens"].make("cast", "overlay", by="Ann")[1]
    client = one.app.test_client()
    assert client.get("/commentary/table-1").status_code == 401
    assert client.get(f"/commentary/table-1?token={secret}").status_code == 200
    report = client.get(f"/commentary/table-1/live?token={secret}").get_json()["view"]
    assert report["racks"] == {"left": None, "right": None}
    assert (report["turns"], report["words"], report["plays"]) == (2, False, {})
    assert sum(report["pool"].values()) == 100 - 8
