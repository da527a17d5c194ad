"""Pictures come by their hash: when somebody looks, and meanwhile; whole, or not at all."""

from __future__ import annotations

import hashlib
import random
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest

from game.events import Picture, PicturesKept, to_payload
from hub.errors import WireError
from hub.picture_fetcher import LINE, PictureFetcher, linked
from hub.wire.picture_chunks import PIECE, PictureChunk, encode_chunk, parse_chunk
from record.chain import LoggedEvent, canonical_json
from record.errors import EvidenceError
from record.evidence import EvidenceStore
from tests.machine import PATIENCE_S, until


def picture(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def retained(table, content: bytes) -> str:
    """Keep a picture at a table, and link it in its log."""
    sha = table.evidence.store(content)
    event = PicturesKept(1, (Picture("at", sha, 1, None, None),), table.desk.now_ns())
    table.session.recorder.record(event)
    return sha


def hub_store(venue) -> EvidenceStore:
    return venue.service.pictures.store


def test_pieces_go_to_and_fro():
    piece = PictureChunk("ab" * 32, 5, 100, b"\n\x00 12 34\n")
    assert parse_chunk(encode_chunk(piece)) == piece


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
    sha = retained(table, content)
    evidence = venue.service.tables.table("t1").evidence
    assert until(lambda: venue.service.presence.state("t1") == "here")
    assert not hub_store(venue).has(sha)
    assert evidence.has(sha)  # it may come
    assert evidence.load(sha) == content
    assert hub_store(venue).has(sha)


def test_pictures_come_in_the_background(venue):
    table = venue.table("t1")
    shas = [retained(table, picture(40_000, seed)) for seed in range(6)]
    assert until(lambda: all(hub_store(venue).has(sha) for sha in shas))
    assert venue.service.pictures.missing == 0


def test_a_picture_is_missing_until_its_transfer_has_ended_and_not_a_moment_longer(tmp_path, hall):
    """Whoever sees the picture in the store finds that it is missing no more."""
    wire = Wire(tmp_path)
    content = picture(900)
    (sha,), event = kept_event(hall.table("t1"), content)
    wire.pictures.know("t1", [event])
    counted: list[int] = []
    asking = threading.Thread(target=lambda: counted.append(wire.pictures.missing))
    store = wire.pictures.store.store

    def stored_and_seen_at_once(jpeg: bytes) -> str:
        stored = store(jpeg)
        asking.start()
        asking.join(0.2)  # time enough for one who need not wait
        return stored

    wire.pictures.store.store = stored_and_seen_at_once
    wire.pictures.piece("t1", encode_chunk(PictureChunk(sha, 0, len(content), content)))
    asking.join(60)
    assert counted == [0]


def test_what_was_missed_is_found_again_by_the_next_hub(venue):
    venue.service.pictures._idle = lambda: False
    table = venue.table("t1")
    shas = [retained(table, picture(40_000, seed)) for seed in range(3)]
    assert until(lambda: venue.service.store.head("t1") == table.log.head)
    venue.restart()
    assert until(lambda: all(hub_store(venue).has(sha) for sha in shas))


def test_a_transfer_is_taken_up_where_it_stopped(venue):
    table = venue.table("t1")
    content = picture(10 * PIECE + 77)
    sha = hashlib.sha256(content).hexdigest()
    half = venue.folder / "hub" / "pictures" / f"t1.{sha}"
    half.write_bytes(content[: 6 * PIECE])
    asked: list[int] = []
    take = table.tie._chunks.take
    table.tie._chunks.take = lambda want: (asked.append(want["offset"]), take(want))[1]
    assert retained(table, content) == sha
    assert until(lambda: hub_store(venue).has(sha))
    assert min(asked) == 6 * PIECE
    assert hub_store(venue).load(sha) == content
    assert not half.exists()


def test_a_picture_that_is_not_what_its_hash_says_is_never_kept(venue):
    table = venue.table("t1")
    content = picture(50_000)
    sha = retained(table, content)
    table.evidence.path(sha).write_bytes(b"another picture altogether" * 1000)
    evidence = venue.service.tables.table("t1").evidence
    assert until(lambda: "picture" in [w for _, _, w, _ in venue.service.store.incidents()])
    assert not hub_store(venue).has(sha)
    with pytest.raises(EvidenceError):
        evidence.load(sha)


def test_a_picture_that_the_table_lost_is_said_to_be_lost(venue):
    table = venue.table("t1")
    sha = retained(table, picture(1000))
    table.evidence.path(sha).unlink()
    assert until(lambda: "picture" in [w for _, _, w, _ in venue.service.store.incidents()])
    assert not venue.service.tables.table("t1").evidence.has(sha)


def test_a_table_that_is_away_keeps_nobody_waiting(venue):
    table = venue.table("t1", connect=False)
    sha = table.evidence.store(picture(1000))

    def wait(_seconds: float) -> None:
        raise AssertionError("somebody waits")

    venue.service.pictures._came.wait = wait
    with pytest.raises(EvidenceError):
        venue.service.tables.table("t1").evidence.load(sha)


class Wire:
    """A table's end without a table: answers at once, with what it is told to send."""

    def __init__(self, tmp_path, bytes_per_s: float = 1e9, **options) -> None:
        self.asked: list[tuple[str, str, int]] = []
        self.pictures = PictureFetcher(
            EvidenceStore(tmp_path / "store", keep_free=0),
            tmp_path / "parts",
            self.ask,
            lambda _table: True,
            bytes_per_s=bytes_per_s,
            **options,
        )

    def ask(self, table, want) -> bool:
        self.asked.append((table, want["sha256"], want["offset"]))
        return True


def kept_event(table, *contents: bytes):
    shas = tuple(hashlib.sha256(content).hexdigest() for content in contents)
    pictures = tuple(Picture("at", sha, 1, None, None) for sha in shas)
    table.play(1)
    return shas, table.log.append(
        "g", to_payload(PicturesKept(1, pictures, 1)), mono_ns=1, source="recorder"
    )


def test_the_background_keeps_to_its_bandwidth(tmp_path, hall, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("hub.picture_fetcher.time", SimpleNamespace(monotonic=lambda: now[0]))
    wire = Wire(tmp_path, bytes_per_s=2.0 * PIECE)
    contents = [picture(PIECE, seed) for seed in range(40)]
    _, event = kept_event(hall.table("t1"), *contents)
    wire.pictures.know("t1", [event])
    by_sha = {hashlib.sha256(c).hexdigest(): c for c in contents}
    got = 0
    for _ in range(400):
        wire.pictures.ask_for_more()
        for table, sha, offset in wire.asked:
            got += 1
            wire.pictures.piece(table, encode_chunk(PictureChunk(sha, offset, PIECE, by_sha[sha])))
        wire.asked.clear()
        now[0] += 1 / 128
    # What may go at once, and then two pieces a second.
    assert got == 2 + 2 * 3


def test_somebody_who_looks_goes_before_the_background(tmp_path, hall):
    wire = Wire(tmp_path)
    shas, event = kept_event(hall.table("t1"), *(picture(900, seed) for seed in range(9)))
    wire.pictures.know("t1", [event])
    wire.pictures.want("t1", [shas[7]], PATIENCE_S)
    for _ in range(2):
        wire.pictures.ask_for_more()
    assert wire.asked == [("t1", shas[7], 0)]


def test_pieces_that_come_twice_or_from_another_table_change_nothing(tmp_path, hall):
    wire = Wire(tmp_path)
    content = picture(PIECE + 10)
    (sha,), event = kept_event(hall.table("t1"), content)
    wire.pictures.know("t1", [event])
    first = encode_chunk(PictureChunk(sha, 0, len(content), content[:PIECE]))
    wire.pictures.piece("t2", first)
    wire.pictures.ask_for_more()
    for _ in range(3):
        wire.pictures.piece("t1", first)
    wire.pictures.ask_for_more()
    assert wire.asked == [("t1", sha, 0), ("t1", sha, PIECE)]
    wire.pictures.piece("t1", encode_chunk(PictureChunk(sha, PIECE, len(content), content[PIECE:])))
    assert wire.pictures.store.load(sha) == content


class Tables:
    """Tables on a clock of their own: some send what they are asked for, some never do."""

    def __init__(self, tmp_path, monkeypatch, silent: tuple[str, ...], **options) -> None:
        self.now = 1000.0
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("hub.picture_fetcher.time", clock)
        self.noted: list[tuple[str, str]] = []
        self.silent = silent
        self.asked: list[str] = []
        self.content: dict[str, bytes] = {}
        """The pictures that tables send, by hash."""
        self.wire = Wire(
            tmp_path, noted=lambda table, _what, line: self.noted.append((table, line)), **options
        )
        self.pictures = self.wire.pictures

    def event(self, table: str, seq: int, *contents: bytes) -> LoggedEvent:
        """A record of a table that links pictures."""
        shas = [hashlib.sha256(content).hexdigest() for content in contents]
        self.content |= dict(zip(shas, contents, strict=True))
        kept = PicturesKept(1, tuple(Picture("at", sha, 1, None, None) for sha in shas), 1)
        text = canonical_json(to_payload(kept))
        return LoggedEvent(seq, "g", seq, 0, 0, "t", "PicturesKept", 1, text, "", "", "", "")

    def run(self, seconds: float) -> None:
        """Let time pass, and every table that is not silent answer at once."""
        until_s = self.now + seconds
        while self.now < until_s:
            self.pictures.ask_for_more()
            asked, self.wire.asked = self.wire.asked, []
            for table, sha, offset in asked:
                self.asked.append(table)
                if table not in self.silent and sha in self.content:
                    whole = self.content[sha]
                    piece = whole[offset : offset + PIECE]
                    chunk = PictureChunk(sha, offset, len(whole), piece)
                    self.pictures.piece(table, encode_chunk(chunk))
            self.now += 0.02

    def here(self, *contents: bytes) -> int:
        """How many of these pictures the hub has."""
        shas = [hashlib.sha256(content).hexdigest() for content in contents]
        return sum(self.pictures.store.has(sha) for sha in shas)


def test_pictures_that_never_come_stop_no_other_table(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ("bad", "worse"))
    for table in hall.silent:
        never = [picture(500, seed) for seed in range(1000, 1300)]
        hall.pictures.know(table, [hall.event(table, 1, *never)])
    good = [picture(3 * PIECE, seed) for seed in range(20)]
    hall.pictures.know("good", [hall.event("good", 1, *good)])
    hall.run(10)
    assert hall.here(*good) == 20
    # And what a silent table is asked for costs the hall ever less.
    first = len(hall.asked)
    hall.run(600)
    assert len(hall.asked) - first < 20
    assert {table for table, _ in hall.noted} == {"bad", "worse"}
    assert all("does not send it" in line for _, line in hall.noted)


def test_a_picture_that_never_comes_loses_its_place_to_its_tables_others(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ())
    contents = [picture(500, seed) for seed in range(6)]
    hall.pictures.know("t1", [hall.event("t1", 1, *contents)])
    del hall.content[next(iter(hall.content))]
    hall.run(60)
    assert hall.here(*contents) == 5
    assert hall.pictures.missing == 1


def test_somebody_who_looks_in_vain_stops_nothing(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ("bad",))
    never = picture(500, 99)
    hall.pictures.know("bad", [hall.event("bad", 1, never)])
    good = [picture(500, seed) for seed in range(20)]
    hall.pictures.know("good", [hall.event("good", 1, *good)])
    hall.pictures.want("bad", [hashlib.sha256(never).hexdigest()], 3600)
    hall.run(10)
    assert hall.here(*good) == 20


def test_a_table_that_announces_anothers_picture_keeps_it_from_nobody(tmp_path, monkeypatch):
    hall = Tables(tmp_path, monkeypatch, ("bad",))
    (wanted,) = [picture(500)]
    hall.pictures.know("bad", [hall.event("bad", 1, wanted)])
    sha = hashlib.sha256(wanted).hexdigest()
    hall.pictures.piece("bad", encode_chunk(PictureChunk(sha, 0, 0, b"")))  # it has it not
    hall.pictures.know("good", [hall.event("good", 1, wanted)])
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
