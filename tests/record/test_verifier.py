"""Bundles that the verifier accepts, by itself in a bundle and with the game replayed.

Bundles are changed in every way, most of them signed with the table's own key, so that it is the
form that decides and no signature. It may neither raise nor hang. Whoever holds that key can sign
anything: what the records do not give is not believed.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import struct
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from record import statement
from record.bundle import archive
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.seals import digest, link
from record.verifier.replay import verify
from table.cli import main

from .bundlekit import GAME, bundle_of, checked, fill, log_a_late_penalty, packed, unpacked
from .forgerykit import RAW, Forger, Signed, text_of

DEEP = 200_000
RAWS = (
    *("[" * DEEP + "]" * DEEP, "[" * DEEP, '{"a":' * 500 + "1" + "}" * 500, "[" * 70 + "]" * 70),
    *("NaN", "-Infinity", "1e999", "9" * 5000, "9" * 20, "-9223372036854775808", "1.0"),
    *('"\\ud800"', '"\ud800"', '"\\u202e\\u001b[2K\\n"', '{"a":1,"a":2}', "", "true", "nul"),
)
VALUES = st.one_of(
    st.sampled_from(
        [None, True, False, 0, -1, 1, 2**63 - 1, 1.0, "", "x", "0" * 64, [], {}, [1], {"a": 1}]
    ),
    st.sampled_from([[[]], [None], [{}], {"left": 1}, ["x"], "\ud800", "\0", "../x", "ä"]),
)
# The judge keeps nothing from one example to the next but its file's name.
shared = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*path, key))


def changed(value, path, to):
    """``value`` with the place of ``path`` replaced, or dropped where ``to`` is Ellipsis."""
    if not path:
        return to
    copy = json.loads(json.dumps(value))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    if to is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return copy


def change_anywhere(data, value) -> tuple[Any, str | None]:
    """``value`` with one place of it changed, and the raw JSON that is to stand there."""
    path = data.draw(st.sampled_from(list(places(value))))
    raw = data.draw(st.sampled_from([None, *RAWS]))
    to = RAW if raw is not None else data.draw(st.one_of(VALUES, st.just(...) if path else VALUES))
    return changed(value, path, to), raw


def test_honest_and_signed_anew_are_sound(honest, forger, judge):
    assert judge(honest.data).both == (0, 0)
    assert judge(forger.made()).both == (0, 0)


@shared
@given(data=st.data())
def test_manifests_with_anything_anywhere(honest, judge, data):
    forger = honest.forger()
    forger.manifest, raw = change_anywhere(data, forger.manifest)
    assert judge(forger.made(raw)).both


@shared
@given(data=st.data())
def test_events_with_anything_anywhere(honest, judge, data):
    forger = honest.forger()
    bodies = forger.bodies()
    at = data.draw(st.integers(0, len(bodies) - 1))
    fields, raw = change_anywhere(data, json.loads(bodies[at]))
    bodies[at] = text_of(fields, raw)
    if b"\n" in bodies[at]:
        return
    forger.with_bodies(bodies)
    forger.listed()
    if data.draw(st.booleans()):  # a bundle that states no game can hold any payload
        for name in [*forger.files]:
            if name.endswith(".toml") or name == archive.RECORD:
                del forger.files[name]
        forger.listed()
        forger.manifest["game"], forger.manifest["unreplayed"] = None, "why"
    assert judge(forger.made()).both


@shared
@given(data=st.data())
def test_entries_dropped_added_doubled_and_in_another_order(honest, judge, data):
    forger = honest.forger()
    names = [name for name in forger.files if not name.startswith("manifest.")]
    for _ in range(data.draw(st.integers(1, 3))):
        how = data.draw(st.sampled_from(["drop", "add", "move", "content"]))
        name = data.draw(st.sampled_from(names))
        if how == "drop":
            forger.files.pop(name, None)
        elif how == "add":
            odd = ["/etc/passwd", "../x", "pictures/", "pictures/x.jpg", "x" * 300, "C:\\x", "a b"]
            forger.files[data.draw(st.sampled_from(odd))] = data.draw(st.binary(max_size=9))
        elif how == "move" and name in forger.files:
            forger.files[name] = forger.files.pop(name)
        elif name in forger.files:
            forger.files[name] = data.draw(st.sampled_from([b"", b"\n", b"x", b"\xff\n"]))
    if data.draw(st.booleans()):
        forger.listed()
    assert judge(forger.made()).both


@shared
@given(seed=st.integers(0, 10**9))
def test_bytes_flipped_cut_out_put_in_and_doubled(honest, judge, seed):
    rng = random.Random(seed)
    data = bytearray(honest.data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, length = rng.randrange(len(data)), rng.choice([1, 2, 30, 1000])
        how = rng.randrange(5)
        if how == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            del data[at : at + length]
        elif how == 2:
            data[at:at] = rng.randbytes(length)
        elif how == 3:
            data[at:at] = data[at : at + length]
        else:
            data[at : at + 4] = rng.choice([b"PK\3\4", b"PK\1\2", b"\xff" * 4, b"\0" * 4])
    assert data == honest.data or judge(bytes(data)).both[0] != 0


# --- ZIP archives ---


def zipped(name: bytes, content: bytes, **other: int) -> bytes:
    """An entry whose header has some field otherwise than bundles have it."""
    fields = {"flags": 0, "method": 0, "crc": zlib.crc32(content), "size": len(content)}
    fields |= {"full": len(content), "extra": 0} | other
    return (
        struct.pack(
            "<4s5H3L2H", b"PK\3\4", 20, fields["flags"], fields["method"], 0, 33, fields["crc"],
            fields["size"], fields["full"], len(name), fields["extra"],
        )
        + name + content
    )  # fmt: skip


TRICKS = {
    "a compressed bomb": zipped(b"x", zlib.compress(b"\0" * 10**6), method=8, full=2**32 - 1),
    "an extra field": zipped(b"x", b"abcd", extra=4, size=0, full=0, crc=0),
    "encrypted": zipped(b"x", b"", flags=1),
    "sizes after the content": zipped(b"x", b"", flags=8),
    "a directory": zipped(b"pictures/", b""),
    "an absolute path": zipped(b"/etc/passwd", b"x"),
    "a name that is no ASCII": zipped("ä".encode(), b""),
    "a name with control characters": zipped(b"\x1b[2K\n", b""),
    "no name": zipped(b"", b""),
    "larger than the file": zipped(b"x", b"", size=2**32 - 1, full=2**32 - 1),
}


def end_of_entries(data: bytes) -> int:
    """The offset at which the directory begins."""
    last = archive.read(memoryview(data))[0][-1]
    return last.begin + 30 + len(last.name) + len(last.content)


@pytest.mark.parametrize("trick", sorted(TRICKS))
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_tricks_with_zip_archives(honest, judge, trick, where):
    entries, _ = archive.read(memoryview(honest.data))
    middle, end = entries[4].begin, end_of_entries(honest.data)
    at = {"first": 0, "middle": middle, "last": end}[where]
    assert judge(honest.data[:at] + TRICKS[trick] + honest.data[at:]).both == (1, 1)


def test_a_name_that_stands_twice(forger, judge):
    alone = [packed({name: text}).partition(b"PK\1\2")[0] for name, text in forger.files.items()]
    assert judge(b"".join(alone * 2)).both == (1, 1)


def test_more_entries_than_a_directory_can_count(honest, judge):
    many = b"".join(zipped(b"%d" % n, b"") for n in range(66_000))
    begin = honest.data.rindex(b"PK\1\2", 0, honest.data.rindex(b"PK\1\2"))
    assert judge(honest.data[:begin] + many).both == (1, 1)
    assert judge(many).both == (1, 1)


def test_many_broken_check_sums_and_a_long_manifest_take_no_time(forger, judge):
    """So many that whoever compares each with each is not done within the test's time."""
    count = 20_000
    forger.manifest["files"] += [
        {"name": f"{n}", "size": 1, "sha256": "0" * 64} for n in range(count)
    ]
    data = forger.made()
    many = b"".join(zipped(b"%d" % n, b"", crc=1) for n in range(count))
    end = end_of_entries(data)
    assert judge(data[:end] + many + data[end:]).both == (1, 1)


# --- what somebody with the table's key may state ---

Change = Callable[[Forger], object]


def states(name: str, value: Any) -> Change:
    """Another value in the manifest."""
    return lambda forger: forger.manifest.update({name: value})


def states_of_the_game(name: str, value: Any) -> Change:
    return lambda forger: forger.manifest["game"].update({name: value})


def players_swapped(forger: Forger) -> None:
    left, right = forger.manifest["game"]["players"].values()
    forger.manifest["game"]["players"] = {"left": right, "right": left}


def picture_s_link_said_otherwise(forger: Forger) -> None:
    next(iter(forger.manifest["pictures"].values()))[0] = "before of event 999"


def no_digest_of_the_head(forger: Forger) -> None:
    del forger.manifest["head"]["digest"]


def adds_a_file(name: str) -> Change:
    def change(forger: Forger) -> None:
        forger.files[name] = b"<script>"
        forger.listed()

    return change


def leaves_out(name: str) -> Change:
    def change(forger: Forger) -> None:
        del forger.files[name]
        forger.listed()

    return change


def rulebook_named(name: str | None) -> Change:
    """The rulebook has this name in the first event and as a file."""

    def change(forger: Forger) -> None:
        start, *rest = forger.bodies()
        fields = json.loads(start)
        old = f"rulebook-{fields[8]['rulebook']}.toml"
        fields[8]["rulebook"] = name
        forger.with_bodies([text_of(fields), *rest])
        new = f"rulebook-{name}.toml".encode("ascii", "replace").decode()
        forger.files = {new if one == old else one: text for one, text in forger.files.items()}
        forger.listed()

    return change


def ends_with_another_s_event(*, own_digest: bool) -> Change:
    """The chain goes on after the game's last event; the digest is that of either."""

    def change(forger: Forger) -> None:
        head = forger.manifest["head"]
        foreign = link(head["hash"], "0" * 64)
        line = f"{head['seq'] + 1} {'0' * 64} {foreign} - -\n"
        forger.files[archive.CHAIN] += line.encode()
        head.update(seq=head["seq"] + 1, hash=foreign)
        if not own_digest:
            head["digest"] = digest(foreign)
        forger.listed()

    return change


def line_longer_by(over: int) -> Change:
    """A line of the events that is longer by so much than any may be."""

    def change(forger: Forger) -> None:
        bodies = forger.bodies()
        room = archive.MAX_LINE + over - len(bodies[2])
        bodies[2] = bodies[2].replace(b'"left"', b'"left"' + b" " * room)
        forger.with_bodies(bodies)
        forger.listed()

    return change


MANIFEST = (archive.MANIFEST, "event 1")
ELSEWHERE = {"software": "9", "files": {}, "settings": {}}
FORGERIES: list[tuple[Change, tuple[str, ...]]] = [
    (states("keys", []), MANIFEST),
    (states("keys", ["0" * 64]), MANIFEST),
    (states("recorded_with", None), MANIFEST),
    (states("recorded_with", ELSEWHERE), MANIFEST),
    (states("lost", ["0" * 64]), MANIFEST),
    (states("pictures", {}), MANIFEST),
    (states("game_id", "another"), MANIFEST),
    (states("surprise", "a field of one's own"), MANIFEST),
    *[
        (states_of_the_game("turns", one), ())
        for one in (5, [1], [{}], [{"score": "x", "side": "left"}], {"a": 1}, None)
    ],
    (players_swapped, (archive.MANIFEST,)),
    (players_swapped, ("players",)),
    (picture_s_link_said_otherwise, ()),
    (no_digest_of_the_head, ()),
    *[(adds_a_file(one), (one,)) for one in ("extra.html", "pictures/x.jpg", "game2.gcg", "../x")],
    *[(leaves_out(one), ()) for one in (archive.EVENTS, archive.CHAIN, archive.README)],
    (leaves_out(archive.PAGE), ()),
    *[(rulebook_named(one), ()) for one in ("../../evil", "a/b", "x y", None, "é")],
    (ends_with_another_s_event(own_digest=True), ()),
    (ends_with_another_s_event(own_digest=False), ()),
    (line_longer_by(1000), ()),
]  # fmt: skip


@pytest.mark.parametrize(("change", "due"), FORGERIES)
def test_a_forgery_signed_by_the_table_s_own_key_is_sound_for_neither(forger, judge, change, due):
    """``due`` are the places of which it names one."""
    change(forger)
    found = judge(forger.made())
    assert found.both == (1, 1)
    assert not due or not set(due).isdisjoint(found.places)


@pytest.mark.parametrize(("over", "sound"), [(0, True), (1, False)])
def test_the_longest_line_is_the_same_for_both(forger, judge, over, sound):
    line_longer_by(over)(forger)
    found = judge(forger.made())
    assert (found.theirs == 0) is sound
    assert all(one.replayed for one in found.report.faults) is sound


@pytest.mark.parametrize(
    "name", [archive.PAGE, archive.README, "rulebook-wespa-2007.toml", "tiles-english.toml"]
)
def test_pages_and_rules_that_were_replaced(forger, judge, name):
    forger.files[name] = forger.files[name].replace(b"e", b"3", 1)
    forger.listed()
    assert judge(forger.made()).places == [name]
    # Somebody who also says that another program made it is not believed either.
    forger.manifest["exported_with"]["program"] = "0" * 64
    report = judge(forger.made()).report
    assert report.ok
    assert [text for text in report.unchecked if text.startswith(f"{name}: ")]


def test_a_record_of_another_program_may_have_other_notes_and_no_other_lines(forger, judge):
    honest = forger.files[archive.RECORD]
    forger.manifest["exported_with"]["program"] = "0" * 64
    forger.files[archive.RECORD] = honest + b"#note Another program has more to say.\n"
    forger.listed()
    report = judge(forger.made()).report
    assert report.ok
    assert [text for text in report.unchecked if archive.RECORD in text]
    lines = honest.split(b"\n")
    last = max(at for at, line in enumerate(lines) if line.startswith(b">"))
    points = lines[last].rsplit(b" ", 1)
    changed = [*lines[:last], points[0] + b" 999", *lines[last + 1 :]]
    for content in (b"\n".join(changed), b"\n".join(lines[:last]) + b"\n", b"no record"):
        forger.files[archive.RECORD] = content
        forger.listed()
        assert judge(forger.made()).places == [archive.RECORD]


def test_a_record_that_is_left_out_is_missed_by_whoever_knows_the_rules(forger, judge):
    leaves_out(archive.RECORD)(forger)
    assert judge(forger.made()).places == [archive.RECORD]


def test_an_honest_page_of_another_program_is_checked_all_the_same(forger, judge):
    del forger.manifest["exported_with"]["program"]
    report = judge(forger.made()).report
    assert report.ok
    assert not [text for text in report.unchecked if archive.PAGE in text]


def test_another_version_is_refused_and_no_fault(forger, judge):
    forger.manifest = {"format": archive.FORMAT, "version": 3}
    assert judge(forger.made()).both == (2, 2)
    del forger.files[archive.CHAIN]
    assert judge(forger.made()).both == (2, 2)


def test_a_version_whose_digit_was_changed_on_the_way_is_a_fault(honest, judge):
    assert judge(honest.data.replace(b'"version": 2', b'"version": 3', 1)).both == (1, 1)


@pytest.mark.parametrize(
    ("keys", "written"), [(["abc"], None), (["é" * 32], None), ((), "x"), ((), "\ud800")]
)
def test_keys_and_digests_that_are_none_are_unusable_input(honest, judge, keys, written):
    assert judge(honest.data, keys, written).both == (2, 2)


def test_keys_and_digests_are_read_as_people_write_them(honest: Signed, judge):
    slip, key = honest.forger().manifest["head"]["digest"], honest.key
    for one in (key.fingerprint.upper(), key.fingerprint.replace("-", " "), key.public.upper()):
        sloppy = slip.lower().replace("-", " ").replace("0", "o").replace("1", "l")
        assert judge(honest.data, [one], sloppy).both == (0, 0)


SLIP = "K7QM-2D9F-XW3T"


def test_a_tail_cut_off_beside_the_digest_of_the_slip(forger, judge, tmp_path, capsys):
    forger.manifest["head"]["digest"] = SLIP
    assert judge(forger.made()).both == (1, 1)
    assert main(["verify", str(tmp_path / "b.zip")]) == 1
    out = capsys.readouterr().out
    assert f"states the check code {SLIP}; that of the last event is" in out
    assert main(["verify", "--json", str(tmp_path / "b.zip")]) == 1
    assert json.loads(capsys.readouterr().out)["digest"] != SLIP

    bodies = forger.bodies()
    slip = digest(json.loads(unpacked(forger.made())[archive.MANIFEST])["head"]["hash"])
    forger.with_bodies(bodies[:-2])  # with the digest that is due to the shorter game
    forger.listed()
    found = judge(forger.made(), written=slip)
    assert found.both == (1, 1)
    assert "check code" in found.places


def test_the_slip_s_digest_is_found_among_the_records(honest, capsys):
    target = honest.path
    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    ended = next(line.split()[-1] for line in out.splitlines() if "when it ended" in line)
    signed = next(line.split()[-1] for line in out.splitlines() if "when it was signed" in line)
    assert f"check code of the last event: {signed}" in out
    assert main(["verify", str(target), "--code", ended]) == 0
    out = capsys.readouterr().out
    found = rf"the check code {ended} is that of event \d+ of the game, which ended the game; "
    found += "1 event follows it"
    assert re.search(f"  compared: {found}", out)
    assert re.search("  compared: after it, event .*: the result was signed", out)
    assert re.search(found, checked(target, written=ended).compared[-1])


def test_a_result_that_was_another_at_the_slip_s_digest_is_named(tmp_path, capsys):
    fill(tmp_path, turns=2)
    with EventLog(tmp_path / DATABASE, readonly=True) as log:
        slip = digest(log.last_of(GAME).hash)
    log_a_late_penalty(tmp_path)
    target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert main(["verify", str(target), "--code", slip]) == 0
    out = capsys.readouterr().out
    assert "2 events follow it" in out
    assert "the result at that event was another: Ann" in out
    assert re.search(
        "after it, event .*: 10 points off Ann .entered by director, because: late", out
    )


def test_a_name_in_the_records_forges_no_lines(tmp_path, capsys):
    evil = "Ann\x1b[1A\x1b[2K\nb.zip: sound\u202e"
    fill(tmp_path, turns=2, names={"left": evil, "right": "Bob"})
    target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    assert r"Ann\x1b[1A\x1b[2K\x0ab.zip: sound\u202e" in out
    assert out.replace("\n", "").isprintable()


@pytest.mark.parametrize("own", [True, False])
def test_rules_that_changed_between_recording_and_export_are_named(tmp_path, own):
    book = statement.rules_files("wespa-2007", "english")[0].content if own else b"another"
    named = {"rulebook wespa-2007": hashlib.sha256(book).hexdigest()}
    fill(tmp_path, turns=2, described=named)
    report = verify(bundle_of(tmp_path, tmp_path / "b.zip"))
    assert report.ok
    changed = "rulebook-wespa-2007.toml changed since the game was recorded"
    assert (changed in report.notes) is not own
