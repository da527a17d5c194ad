"""``tilewatch verify`` and the verifier that bundles carry accept one and the same format.

They are held to each other on bundles changed in every way, most of them signed with the table's
own key, so that it is the form that decides and no signature. Neither may raise or hang.
"""

from __future__ import annotations

import json
import os
import random
import struct
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from record.bundle import archive
from record.chain import link
from record.signing import KEY_FILE, TableKey, digest

from .bundlekit import independent, make, packed, unpacked
from .forgerykit import RAW, Forger, agree, statuses, text_of

SLOW = settings(
    max_examples=int(os.environ.get("TILEWATCH_FORGERIES", "150")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
DEEP = 200_000
RAWS = (
    "[" * DEEP + "]" * DEEP,
    "[" * DEEP,
    '{"a":' * 500 + "1" + "}" * 500,
    "[" * 70 + "]" * 70,
    "NaN",
    "-Infinity",
    "1e999",
    "9" * 5000,
    "9" * 20,
    "-9223372036854775808",
    "1.0",
    '"\\ud800"',
    '"\ud800"',
    '"\\u202e\\u001b[2K\\n"',
    '{"a":1,"a":2}',
    "",
    "true",
    "nul",
)
VALUES = st.one_of(
    st.sampled_from(
        [None, True, False, 0, -1, 1, 2**63 - 1, 1.0, "", "x", "0" * 64, [], {}, [1], {"a": 1}]
    ),
    st.sampled_from([[[]], [None], [{}], {"left": 1}, ["x"], "\ud800", "\0", "../x", "ä"]),
)


class Table:
    """An honest bundle and its table's key, shown by hypothesis in one word."""

    def __init__(self, honest: bytes, key: TableKey) -> None:
        self.both = honest, key

    def __iter__(self):
        return iter(self.both)

    def __repr__(self) -> str:
        return "table"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    honest = make(folder, folder / "game.zip", turns=2).read_bytes()
    return Table(honest, TableKey.open(folder / KEY_FILE))


@pytest.fixture(scope="module")
def second():
    return independent()


@pytest.fixture
def same(second, tmp_path):
    def check(data: bytes) -> tuple[int, int]:
        ours, theirs, faults = statuses(second, data, tmp_path / "b.zip")
        assert agree(ours, theirs, faults), (ours, theirs, faults)
        return ours, theirs

    return check


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


def test_honest_and_signed_anew_are_sound(table, same):
    honest, key = table
    assert same(honest) == (0, 0)
    assert same(Forger(unpacked(honest), key).made()) == (0, 0)


@SLOW
@given(data=st.data())
def test_manifests_with_anything_anywhere(table, same, data):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    path = data.draw(st.sampled_from(list(places(forger.manifest))))
    odd = data.draw(st.integers(-1, len(RAWS) - 1))
    raw = None if odd < 0 else RAWS[odd]
    to = RAW if raw is not None else data.draw(st.one_of(VALUES, st.just(...) if path else VALUES))
    forger.manifest = changed(forger.manifest, path, to)
    same(forger.made(raw))


@SLOW
@given(data=st.data())
def test_events_with_anything_anywhere(table, same, data):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    bodies = forger.bodies()
    at = data.draw(st.integers(0, len(bodies) - 1))
    fields = json.loads(bodies[at])
    path = data.draw(st.sampled_from(list(places(fields))))
    odd = data.draw(st.integers(-1, len(RAWS) - 1))
    raw = None if odd < 0 else RAWS[odd]
    to = RAW if raw is not None else data.draw(st.one_of(VALUES, st.just(...) if path else VALUES))
    if to is not ... or path:
        bodies[at] = text_of(changed(fields, path, to), raw)
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
    same(forger.made())


@SLOW
@given(data=st.data())
def test_entries_dropped_added_doubled_and_in_another_order(table, same, data):
    honest, key = table
    forger = Forger(unpacked(honest), key)
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
    same(forger.made())


@SLOW
@given(seed=st.integers(0, 10**9))
def test_bytes_flipped_cut_out_put_in_and_doubled(table, same, seed):
    honest, _ = table
    rng = random.Random(seed)
    data = bytearray(honest)
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
    assert data == honest or same(bytes(data))[0] != 0


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


@pytest.mark.parametrize("trick", sorted(TRICKS))
@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_tricks_with_zip_archives(table, same, trick, where):
    honest, _ = table
    entries, _ = archive.read(memoryview(honest))
    last = entries[-1]
    at = {
        "first": 0,
        "middle": entries[4].begin,
        "last": last.begin + 30 + len(last.name) + len(last.content),
    }[where]
    assert same(honest[:at] + TRICKS[trick] + honest[at:]) == (1, 1)


def test_a_name_that_stands_twice(table, same):
    honest, _ = table
    files = unpacked(honest)
    doubled = b"".join(packed({name: files[name]}).partition(b"PK\1\2")[0] for name in files)
    assert same(doubled + doubled) == (1, 1)


def test_more_entries_than_a_directory_can_count(table, same):
    honest, _ = table
    many = b"".join(zipped(b"%d" % n, b"") for n in range(66_000))
    assert same(honest[: honest.rindex(b"PK\1\2", 0, honest.rindex(b"PK\1\2"))] + many) == (1, 1)
    assert same(many) == (1, 1)


def test_many_broken_check_sums_and_a_long_manifest_take_no_time(table, same):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    forger.manifest["files"] += [
        {"name": f"{n}", "size": 1, "sha256": "0" * 64} for n in range(60_000)
    ]
    data = forger.made()
    many = b"".join(zipped(b"%d" % n, b"", crc=1) for n in range(60_000))
    entries, _ = archive.read(memoryview(data))
    end = entries[-1].begin + 30 + len(entries[-1].name) + len(entries[-1].content)
    assert same(data[:end] + many + data[end:]) == (1, 1)


def test_texts_that_are_too_long(table, same):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    bodies = forger.bodies()
    bodies[2] = bodies[2].replace(b'"left"', b'"left"' + b" " * (archive.MAX_LINE))
    forger.with_bodies(bodies)
    forger.listed()
    assert same(forger.made()) == (1, 1)


@pytest.mark.parametrize(("over", "sound"), [(0, True), (1, False)])
def test_the_longest_line_is_the_same_for_both(table, tmp_path, second, over, sound):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    bodies = forger.bodies()
    room = archive.MAX_LINE + over - len(bodies[2])
    bodies[2] = bodies[2].replace(b'"left"', b'"left"' + b" " * room)
    forger.with_bodies(bodies)
    forger.listed()
    _, theirs, faults = statuses(second, forger.made(), tmp_path / "b.zip")
    assert (theirs == 0) is sound
    assert all(one.replayed for one in faults) is sound


@pytest.mark.parametrize("stated", ["own", "foreign"])
def test_a_chain_ends_with_the_game_s_own_event(table, same, stated):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    head = forger.manifest["head"]
    foreign = link(head["hash"], "0" * 64)
    line = f"{head['seq'] + 1} {'0' * 64} {foreign} - -\n"
    forger.files[archive.CHAIN] += line.encode()
    head.update(seq=head["seq"] + 1, hash=foreign)
    if stated == "foreign":
        head["digest"] = digest(foreign)
    forger.listed()
    assert same(forger.made()) == (1, 1)


def test_names_that_no_event_gives_a_side_are_not_sound(table, same):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    players = forger.manifest["game"]["players"]
    players["left"], players["right"] = players["right"], players["left"]
    assert same(forger.made()) == (1, 1)


@pytest.mark.parametrize("name", ["../../evil", "a/b", "x y", None, "é"])
def test_a_file_of_rules_has_a_plain_name(table, same, name):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    bodies = forger.bodies()
    start = json.loads(bodies[0])
    old = f"rulebook-{start[8]['rulebook']}.toml"
    start[8]["rulebook"] = name
    forger.with_bodies([text_of(start), *bodies[1:]])
    new = f"rulebook-{name}.toml".encode("ascii", "replace").decode()
    renamed = {new if one == old else one: text for one, text in forger.files.items()}
    forger.files = renamed
    forger.listed()
    assert same(forger.made()) == (1, 1)


@pytest.mark.parametrize("name", [archive.EVENTS, archive.CHAIN, "README.txt", archive.PAGE])
def test_a_signed_bundle_without_one_of_its_files_is_not_sound(table, same, name):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    del forger.files[name]
    forger.listed()
    assert same(forger.made()) == (1, 1)


def test_another_version_is_refused_and_no_fault(table, same):
    honest, key = table
    forger = Forger(unpacked(honest), key)
    forger.manifest = {"format": archive.FORMAT, "version": 3}
    assert same(forger.made()) == (2, 2)
    del forger.files[archive.CHAIN]
    assert same(forger.made()) == (2, 2)


def test_a_version_whose_digit_was_changed_on_the_way_is_a_fault(table, same):
    honest, _ = table
    assert same(honest.replace(b'"version": 2', b'"version": 3', 1)) == (1, 1)


@pytest.mark.parametrize(
    "options", [["--key", "abc"], ["--key", "é" * 32], ["--digest", "x"], ["--digest", "\ud800"]]
)
def test_keys_and_digests_that_are_none_are_unusable_input(table, tmp_path, second, options):
    honest, _ = table
    keys = [options[1]] if options[0] == "--key" else []
    written = options[1] if options[0] == "--digest" else None
    assert statuses(second, honest, tmp_path / "b.zip", keys, written)[:2] == (2, 2)


def test_keys_and_digests_are_read_as_people_write_them(table, tmp_path, second):
    honest, key = table
    slip = json.loads(unpacked(honest)[archive.MANIFEST])["head"]["digest"]
    for one in (key.fingerprint.upper(), key.fingerprint.replace("-", " "), key.public.upper()):
        sloppy = slip.lower().replace("-", " ").replace("0", "o").replace("1", "l")
        assert statuses(second, honest, tmp_path / "b.zip", [one], sloppy)[:2] == (0, 0)
