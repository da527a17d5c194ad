"""The public site as files: what they are, that they have nothing else, and that none goes back."""

from __future__ import annotations

import json
import random
import re
import time
from contextlib import suppress

import pytest

from dashboard.shown_games import ShownGames
from game.events import PublicationDecided, to_payload
from hub.publish.changes import TakenOverError, TargetError, Upload
from hub.publish.names import file_name
from hub.publish.site_files import SiteFiles
from hub.publish.targets import Folder, target_of
from hub.run import archive_hub, hub_app
from tests.hub.hubkit import until
from tests.hub.publishkit import CutOff, Published, dead_links, texts
from tests.hub.servicekit import play

PAIRINGS = "round,table,left,right\n1,1,Zoë Quill,A/B ..\n"


@pytest.fixture
def event(opened, tmp_path):
    """A hub with two tables: a game that is over, and one under way."""
    venue = opened(PAIRINGS)
    for number in (1, 2):
        table = venue.table(f"table-{number}")
        names = {"left": "Zoë Quill", "right": "A/B .."} if number == 1 else None
        play(table, number, turns=100 if number == 1 else 6, names=names)
    assert until(lambda: all(venue.same(table) for table in venue.tables))
    return venue


@pytest.mark.parametrize(
    ("text", "name"),
    [("table-12", "table-12"), ("zoë quill", "zoë_quill"), ("a_b", "a~5f~b"), ("..", "~2e~."),
     ("a/b\\c:*?", "a~2f~b~5c~c~3a~~2a~~3f~"), (".htaccess", "~2e~htaccess"), ("", "~")],
)  # fmt: skip
def test_a_name_becomes_a_file_anywhere_and_never_another(text, name):
    assert file_name(text) == name


def test_every_link_of_the_site_leads_to_a_file(event, tmp_path):
    site = tmp_path / "site"
    published = Published(event, Folder(site, plain=True))
    published.step()
    assert dead_links(site) == []
    for path in (
        "index.html", "hall/index.html", "event/standings/index.html", "results.csv",
        "source.tar.gz", "tables/table-2/index.html", "event/players/zoë_quill/index.html",
    ):  # fmt: skip
        assert (site / path).is_file(), path
    (game,) = (site / "tables/table-1/games").glob("table-1-played*")
    assert (game / "game.gcg").read_text().startswith("#")
    assert (game / "picture.png").read_bytes().startswith(b"\x89PNG")
    live = json.loads((site / "tables/table-2/live.json").read_text())
    assert live["view"] == event.service.tables.table("table-2").public.latest().view
    assert live["published"] > 0

    def rows_are_those_of_the_hall() -> bool:
        published.step()
        whole = json.loads((site / "hall/rows.json").read_text())
        return whole["rows"] == event.service.hall.public.rows()

    assert until(rows_are_those_of_the_hall)  # on a busy machine a table seems silent at times
    everything = texts(site)
    for private in (
        "director/tables",
        "/director/hall",
        "csrf",
        "localhost",
        "@published@",
        "@every_s@",
    ):
        assert private not in everything


def test_previews_and_feeds_have_whole_addresses_where_the_site_has_one(event, tmp_path):
    files = SiteFiles(hub_app(event.service), event.service, "https://example.org/open/")
    page = files.made("/tables/table-2")
    assert page is not None
    assert b'content="https://example.org/open/tables/table-2/picture.png"' in page.data
    feed = files.made("/event/feed.atom")
    assert feed is not None
    assert b'"https://example.org/open/event/rounds/index.html"' in feed.data
    assert feed.mime.startswith("application/atom+xml")


def test_only_what_has_changed_is_written(event, tmp_path):
    written: list[str] = []

    class Noted(Folder):
        def put(self, files: list[Upload]) -> None:
            written.extend(file.path for file in files)
            super().put(files)

    published = Published(event, Noted(tmp_path / "site"))
    published.step()

    def nothing() -> bool:
        written.clear()
        published.step()
        return not written

    assert until(nothing)  # on a busy machine a table may seem silent for a moment
    play(event.tables[1], 2, turns=7)
    assert until(lambda: event.same(event.tables[1]))
    published.step()
    assert "tables/table-2/live.json" in written
    assert not any("table-1/games" in path for path in written)
    assert written.index("tables/table-2/live.json") < written.index("hall/news.json")
    assert written.index("hall/news.json") < written.index("index.html")


@pytest.mark.parametrize("public", [{"delay_min": 60}, {"delay_turns": 4}])
def test_nothing_is_published_that_the_delay_forbids(opened, tmp_path, public):
    venue = opened(public=public)
    table = venue.table("table-1")
    game, state = play(table, 3, turns=10)
    assert until(lambda: venue.same(table))
    site = tmp_path / "site"
    Published(venue, Folder(site, plain=True)).step()
    everything = texts(site)
    late = state.turns[-3:] if "delay_turns" in public else state.turns
    assert [turn.word for turn in late if turn.word and f">{turn.word}<" in everything] == []
    view = json.loads((site / "tables/table-1/live.json").read_text())["view"]
    if "delay_min" in public:
        assert view is None
        assert game not in everything
    else:
        assert len(view["turns"]) <= len(state.turns) - 4
    venue.service.stop()
    # The archive of the same data keeps the same silence.
    archive_hub(venue.config, tmp_path / "hub", tmp_path / "archive")
    kept = json.loads((tmp_path / "archive/tables/table-1/live.json").read_text())["view"]
    assert kept is None or len(kept["turns"]) <= len(state.turns) - 4


def test_a_game_that_is_no_longer_public_is_removed(event, tmp_path, monkeypatch):
    site = tmp_path / "site"
    published = Published(event, Folder(site))
    published.step()
    (game,) = (site / "tables/table-1/games").glob("table-1-played*")
    places = ShownGames.places
    monkeypatch.setattr(
        ShownGames,
        "places",
        lambda self, table: {} if table.id == "table-1" else places(self, table),
    )
    monkeypatch.setattr(ShownGames, "view", lambda *_: None)
    published.step()
    published.step()
    assert not game.exists()
    assert not any(site.rglob(f"*{game.name}*"))


def test_a_game_that_is_withheld_leaves_every_file_and_comes_back(event, tmp_path):
    site = tmp_path / "site"
    published = Published(event, Folder(site, plain=True))
    published.step()
    view = event.service.tables.table("table-2").public.latest().view
    words = {turn["word"] for turn in view["turns"] if len(turn["word"] or "") > 2}

    def shown_words() -> set[str]:
        everything = texts(site)
        return {word for word in words if re.search(rf"\b{word}\b", everything)}

    assert shown_words() == words != set()
    table = event.tables[1]
    for shown, found in (("nothing", set()), ("all", words)):
        decided = PublicationDecided(shown, "Ann", "refused", time.monotonic_ns())
        table.log.append(
            view["game_id"], to_payload(decided), mono_ns=time.monotonic_ns(), source="director"
        )
        assert until(lambda: event.same(table))
        published.step()
        published.step()
        assert shown_words() == found


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))]
)
def test_a_publisher_that_is_cut_off_catches_up_and_never_goes_back(event, tmp_path, seed):
    rng = random.Random(seed)
    site = tmp_path / "site"
    target = CutOff(site, seed)
    published = Published(event, target)
    table = event.tables[1]
    turns = 6
    for _ in range(12):
        target.away = rng.choice((0.0, 0.01, 0.1, 1.0))
        if rng.random() < 0.3:
            published.new()
        if rng.random() < 0.6:
            turns += 1
            play(table, 2, turns=turns)
            assert until(lambda: event.same(table))
        with suppress(TargetError):
            published.step()
    target.away = 0.0
    for _ in range(3):
        published.step()
    assert target.seen.older == []
    fresh = tmp_path / "fresh"
    Published(event, Folder(fresh, plain=True)).step()
    names = {one.relative_to(fresh) for one in fresh.rglob("*") if one.is_file()}
    assert {one.relative_to(site) for one in site.rglob("*") if one.is_file()} == names
    for name in ("tables/table-2/live.json", "hall/rows.json"):
        ours, theirs = (json.loads((one / name).read_text()) for one in (site, fresh))
        for field in ("view", "rows"):
            assert ours.get(field) == theirs.get(field)
    assert dead_links(site) == []


def test_after_an_orderly_stop_nothing_is_written_anew(event, tmp_path):
    site = tmp_path / "site"
    first = Published(event, Folder(site))
    first.step()
    first.publisher._publication.end()
    page = site / "event/standings/index.html"
    written = page.stat().st_mtime_ns
    second = Published(event, Folder(site))
    second.step()
    assert page.stat().st_mtime_ns == written
    assert json.loads((site / "published.json").read_text())["clean"] is False


def test_of_two_publishers_the_later_one_stays(event, tmp_path, monkeypatch):
    monkeypatch.setattr("hub.publish.changes._LOOK_S", 0.0)
    first, second = (Published(event, Folder(tmp_path / "site")) for _ in range(2))
    first.step()
    second.step()
    with pytest.raises(TakenOverError, match="another hub"):
        first.step()
    second.step()


def test_the_thread_says_once_that_the_target_is_away_and_goes_on(event, tmp_path):
    target = CutOff(tmp_path / "site", 1)
    published = Published(event, target)
    target.away = 1.0
    published.publisher.start()
    assert until(published.lines.copy)
    target.away = 0.0
    assert until((tmp_path / "site/index.html").is_file)
    published.publisher.stop()
    assert len(published.lines) == 2
    assert "tried again: the target is away" in published.lines[0]
    assert json.loads((tmp_path / "site/published.json").read_text())["clean"] is True


def test_an_archive_is_readable_without_a_server(event, tmp_path):
    event.service.stop()
    count = archive_hub(event.config, tmp_path / "hub", tmp_path / "archive")
    archive = tmp_path / "archive"
    assert count > 50
    assert dead_links(archive) == []
    assert list(archive.rglob("*.gz")) == [archive / "source.tar.gz"]
    (page,) = (archive / "tables/table-1/games").glob("table-1-played*/index.html")
    text = page.read_text("utf-8")
    assert "data-archive" in text
    assert "Zoë Quill" in text


@pytest.mark.parametrize("text", ["ftp://host/x", "https://host/x"])
def test_an_unknown_kind_of_target_is_refused(text):
    with pytest.raises(TargetError, match="sftp://, rsync:// or s3://"):
        target_of(text)
