"""Pictures come by their hash: when somebody looks, and meanwhile; whole, or not at all."""

from __future__ import annotations

import hashlib
import random
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from game.events import Picture, PicturesDeleted, PicturesKept, to_payload
from hub.errors import WireError
from hub.picture_fetcher import LINE, PictureFetcher, linked
from hub.wire.messages import PictureWanted
from hub.wire.picture_chunks import PIECE, PictureChunk, encode_chunk, parse_chunk
from record.chain import LoggedEvent, canonical_json
from record.errors import EvidenceError
from record.evidence import EvidenceStore
from tests.hub.hubkit import every_incident
from tests.machine import PATIENCE_S, until


def picture(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def sha_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def hub_store(venue) -> EvidenceStore:
    return venue.service.pictures.store


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"x",
        encode_chunk(PictureChunk("AB" * 32, 0, 10, b"x")),
        encode_chunk(PictureChunk("ab" * 32, 5, 10, b"123456")),
        encode_chunk(PictureChunk("ab" * 32, 0, 10**8, b"x")),
        encode_chunk(PictureChunk("ab" * 32, 0, 10**6, b"x" * (PIECE + 1))),
    ],
)
def test_what_is_no_piece_is_refused(message):
    with pytest.raises(WireError):
        parse_chunk(message)


def test_a_picture_is_fetched_when_somebody_looks(venue):
    venue.service.pictures._idle = lambda: False  # nothing in the background
    table = venue.table("t1")
    content = picture(200_000)
    sha = table.keep_picture(content)
    evidence = venue.service.tables.table("t1").evidence
    assert until(lambda: venue.service.presence.state("t1") == "here")
    assert not hub_store(venue).has(sha)
    assert evidence.has(sha)  # it may come
    assert evidence.load(sha) == content
    assert hub_store(venue).has(sha)


def test_a_picture_that_the_table_deletes_goes_here_too_and_does_not_come_again(venue):
    table = venue.table("t1")
    shas = [table.keep_picture(picture(4_000, seed)) for seed in range(2)]
    assert until(lambda: all(hub_store(venue).has(sha) for sha in shas))
    gone = PicturesDeleted((shas[0],), "Bob asked", table.desk.now_ns(), "Dee")
    table.session.recorder.record(gone)
    assert until(lambda: not hub_store(venue).has(shas[0]))
    hub_store(venue).store(picture(4_000, 0))  # as after a crash between record and deletion
    venue.restart()
    assert until(lambda: not hub_store(venue).has(shas[0]))
    assert hub_store(venue).has(shas[1])


def test_what_was_missed_is_found_again_by_the_next_hub(venue):
    venue.service.pictures._idle = lambda: False
    table = venue.table("t1")
    shas = [table.keep_picture(picture(40_000, seed)) for seed in range(3)]
    assert until(lambda: venue.service.store.head("t1") == table.log.head)
    venue.restart()
    assert until(lambda: all(hub_store(venue).has(sha) for sha in shas))


def test_a_transfer_is_taken_up_where_it_stopped(venue):
    table = venue.table("t1")
    content = picture(10 * PIECE + 77)
    sha = sha_of(content)
    half = venue.folder / "hub" / "pictures" / f"t1.{sha}"
    half.write_bytes(content[: 6 * PIECE])
    asked: list[int] = []
    take = table.tie._chunks.take
    table.tie._chunks.take = lambda want: (asked.append(want.offset), take(want))[1]
    assert table.keep_picture(content) == sha
    assert until(lambda: hub_store(venue).has(sha))
    assert min(asked) == 6 * PIECE
    assert hub_store(venue).load(sha) == content
    assert not half.exists()


@pytest.mark.parametrize("instead", [b"another picture altogether" * 1000, None])
def test_a_picture_that_is_lost_or_not_what_its_hash_says_is_told_and_never_kept(venue, instead):
    table = venue.table("t1")
    sha = table.keep_picture(picture(50_000))
    path = table.evidence.path(sha)
    path.unlink() if instead is None else path.write_bytes(instead)
    evidence = venue.service.tables.table("t1").evidence
    assert until(lambda: "picture" in [w for _, w, _ in every_incident(venue.service.store)])
    assert not hub_store(venue).has(sha)
    assert not evidence.has(sha) or instead
    with pytest.raises(EvidenceError):
        evidence.load(sha)


def test_a_table_that_is_away_keeps_nobody_waiting(venue):
    table = venue.table("t1", connect=False)
    sha = table.evidence.store(picture(1000))

    def wait(_seconds: float) -> None:
        raise AssertionError("somebody waits")

    venue.service.pictures._came.wait = wait
    with pytest.raises(EvidenceError):
        venue.service.tables.table("t1").evidence.load(sha)


class Tables:
    """Tables on a clock of their own: some send what they are asked for, some never do."""

    def __init__(
        self, tmp_path, monkeypatch, silent: tuple[str, ...] = (), bytes_per_s=1e9, **options
    ) -> None:
        self.now = 1000.0
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("hub.picture_fetcher.time", clock)
        self.noted: list[tuple[str, str]] = []
        self.silent = silent
        self.asked: list[tuple[str, str, int]] = []
        self.answered = 0
        """How many of the questions the tables have seen."""
        self.content: dict[str, bytes] = {}
        """The pictures that tables send, by hash."""
        self.pictures = PictureFetcher(
            EvidenceStore(tmp_path / "store", keep_free=0),
            tmp_path / "parts",
            self.ask,
            lambda _table: True,
            bytes_per_s=bytes_per_s,
            noted=lambda table, _what, line: self.noted.append((table, line)),
            **options,
        )

    def ask(self, table: str, want: PictureWanted) -> bool:
        self.asked.append((table, want.sha256, want.offset))
        return True

    def event(self, table: str, seq: int, *contents: bytes) -> LoggedEvent:
        """A record of a table that links pictures."""
        shas = [sha_of(content) for content in contents]
        self.content |= dict(zip(shas, contents, strict=True))
        kept = PicturesKept(1, tuple(Picture("at", sha, 1, None, None) for sha in shas), 1)
        text = canonical_json(to_payload(kept))
        return LoggedEvent(seq, "g", seq, 0, 0, "t", "PicturesKept", 1, text, "", "", "", "")

    def know(self, table: str, *contents: bytes) -> None:
        """Let the hub know of a table's first record, which links these pictures."""
        self.pictures.know(table, [self.event(table, 1, *contents)])

    def send(self, table: str, content: bytes, offset: int = 0) -> None:
        """Let a piece of a picture come from a table."""
        piece = content[offset : offset + PIECE]
        chunk = PictureChunk(sha_of(content), offset, len(content), piece)
        self.pictures.piece(table, encode_chunk(chunk))

    def run(self, seconds: float) -> None:
        """Let time pass, and every table that is not silent answer at once."""
        until_s = self.now + seconds
        while self.now < until_s:
            self.pictures.ask_for_more()
            for table, sha, offset in self.asked[self.answered :]:
                if table not in self.silent and sha in self.content:
                    self.send(table, self.content[sha], offset)
            self.answered = len(self.asked)
            self.now += 0.02

    def here(self, *contents: bytes) -> int:
        """How many of these pictures the hub has."""
        return sum(self.pictures.store.has(sha_of(content)) for content in contents)


def test_a_picture_is_missing_until_its_transfer_has_ended_and_not_a_moment_longer(
    tmp_path, monkeypatch
):
    """Whoever sees the picture in the store finds that it is missing no more."""
    hall = Tables(tmp_path, monkeypatch)
    content = picture(900)
    hall.know("t1", content)
    counted: list[int] = []
    asking = threading.Thread(target=lambda: counted.append(hall.pictures.missing))
    store = hall.pictures.store.store

    def stored_and_seen_at_once(jpeg: bytes) -> str:
        stored = store(jpeg)
        asking.start()
        asking.join(0.2)  # time enough for one who need not wait
        return stored

    hall.pictures.store.store = stored_and_seen_at_once
    hall.send("t1", content)
    asking.join(60)
    assert counted == [0]


def test_the_background_keeps_to_its_bandwidth(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, bytes_per_s=2.0 * PIECE)
    hall.know("t1", *(picture(PIECE, seed) for seed in range(40)))
    hall.run(3.1)
    # What may go at once, and then two pieces a second.
    assert len(hall.asked) == 2 + 2 * 3


def test_somebody_who_looks_goes_before_the_background(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ("t1",))
    contents = [picture(900, seed) for seed in range(9)]
    hall.know("t1", *contents)
    hall.pictures.want("t1", [sha_of(contents[7])], PATIENCE_S)
    hall.run(0.03)
    assert hall.asked == [("t1", sha_of(contents[7]), 0)]


def test_pieces_that_come_twice_or_from_another_table_change_nothing(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch)
    content = picture(PIECE + 10)
    hall.know("t1", content)
    hall.send("t2", content)
    hall.pictures.ask_for_more()
    for _ in range(3):
        hall.send("t1", content)
    hall.pictures.ask_for_more()
    assert [offset for _, _, offset in hall.asked] == [0, PIECE]
    hall.send("t1", content, PIECE)
    assert hall.here(content)


def test_pictures_that_never_come_stop_no_other_table(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ("bad", "worse"))
    for table in hall.silent:
        never = [picture(500, seed) for seed in range(1000, 1300)]
        hall.know(table, *never)
    hall.pictures.want("bad", [sha_of(never[0])], 10)  # somebody looks in vain
    good = [picture(3 * PIECE, seed) for seed in range(20)]
    hall.know("good", *good)
    hall.run(10)
    assert hall.here(*good) == 20
    # And what a silent table is asked for costs the hall ever less.
    first = len(hall.asked)
    hall.run(600)
    assert len(hall.asked) - first < 20
    assert {table for table, _ in hall.noted} == {"bad", "worse"}
    assert all("does not send it" in line for _, line in hall.noted)


def test_a_picture_that_never_comes_loses_its_place_to_its_tables_others(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch)
    contents = [picture(500, seed) for seed in range(6)]
    hall.know("t1", *contents)
    del hall.content[next(iter(hall.content))]
    hall.run(60)
    assert hall.here(*contents) == 5
    assert hall.pictures.missing == 1


def test_a_table_that_announces_anothers_picture_keeps_it_from_nobody(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ("bad",))
    wanted = picture(500)
    hall.know("bad", wanted)
    none = PictureChunk(sha_of(wanted), 0, 0, b"")  # it has it not
    hall.pictures.piece("bad", encode_chunk(none))
    hall.know("good", wanted)
    hall.run(3)
    assert hall.here(wanted)


def test_more_than_a_line_holds_is_found_again_in_the_log(tmp_path, monkeypatch):
    good = [picture(300, seed) for seed in range(3 * LINE)]
    logs: dict[str, list[LoggedEvent]] = {"bad": [], "good": []}
    hall = Tables(
        tmp_path, monkeypatch, ("bad",),
        records=lambda table, after, limit: [e for e in logs[table] if e.seq > after][:limit],
    )  # fmt: skip
    never = [picture(300, seed) for seed in range(9000, 9000 + 3 * LINE)]
    logs["bad"] = [hall.event("bad", seq, one) for seq, one in enumerate(never, start=1)]
    logs["good"] = [hall.event("good", seq, one) for seq, one in enumerate(good, start=1)]
    hall.pictures.look_through(logs)
    hall.run(20)
    live = picture(300, 77)
    logs["good"].append(hall.event("good", 1 + len(good), live))
    hall.pictures.know("good", logs["good"][-1:])
    hall.run(5)
    assert hall.here(*good, live) == len(good) + 1
    assert hall.pictures.missing <= LINE


@pytest.mark.parametrize("sha", ["z" * 64, "A" * 64, "../" * 20 + "etc", 7, None], ids=range(5))
def test_what_is_no_hash_is_no_picture(sha):
    text = canonical_json({"type": "PicturesKept", "pictures": [{"sha256": sha}]})
    event = LoggedEvent(1, "g", 1, 0, 0, "t", "PicturesKept", 1, text, "", "", "", "")
    assert linked(event) == []
    assert linked(replace(event, payload_text="[")) == []
