"""Bundles as people hand them on, and the verifier as a program, by itself and with the rules."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from game.events import PenaltyAdded, to_payload
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.verifier import __main__ as verify_bundle
from record.verifier.replay import verify
from table.cli import main

from .bundlekit import GAME, bundle_of, checked, fill, independent, log_a_late_penalty, make
from .forgerykit import RAW

DEEP = 200_000
MODULES = {"verify": ["table.cli", "verify"], "verify_bundle": ["record.verifier"]}


@pytest.fixture(params=sorted(MODULES))
def run(request, monkeypatch, capsys):
    """The answers of the two to a path: exit status, output and errors."""

    def checked(path: object) -> tuple[int, str, str]:
        if request.param == "verify":
            status = main(["verify", str(path)])
        else:
            monkeypatch.setattr(sys, "argv", ["verify_bundle", str(path)])
            status = verify_bundle.main()
        return status, *capsys.readouterr()

    return checked


def put(path: Path, odd: str) -> None:
    """Put something odd in the place of a file."""
    path.unlink(missing_ok=True)
    if odd == "pipe":
        os.mkfifo(path)
    elif odd == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as handle:
            handle.truncate({"huge": 2**40, "empty": 0}[odd])


def test_what_is_no_bundle_is_one_line_at_once(tmp_path, run):
    for odd in ("pipe", "device", "huge", "empty"):
        put(tmp_path / odd, odd)
    (tmp_path / "picture").write_bytes(b"\xff\xd8" * 300)
    for path in (tmp_path, *tmp_path.iterdir(), tmp_path / "none", "/dev/zero"):
        status, out, err = run(path)
        assert (status, out, err.count("\n")) == (2, "", 1), err


@pytest.mark.parametrize("odd", ["pipe", "device", "huge"])
def test_a_folder_with_something_odd_in_it_is_told_at_once(unpacked, run, odd):
    put(unpacked / "game.gcg", odd)
    status, out, err = run(unpacked)
    assert status in (1, 2)
    assert "game.gcg" in out + err
    put(unpacked / "manifest.json", odd)
    status, out, err = run(unpacked)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert str(unpacked) in err


def run_in_memory(program: str, megabytes: int, path: Path) -> tuple[int, str, str]:
    """The answer of the program with so much address space and no more."""
    limited = (
        "import resource, runpy, sys; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20}, {megabytes << 20})); "
        "name = sys.argv.pop(1); runpy.run_module(name, run_name='__main__', alter_sys=True)"
    )
    words = [sys.executable, "-c", limited, *MODULES[program], str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("program", sorted(MODULES))
def test_a_small_folder_takes_little_memory(unpacked, program):
    status, out, err = run_in_memory(program, 1024, unpacked)
    assert (status, err) == (0, "")
    assert "sound" in out


@pytest.mark.parametrize("program", sorted(MODULES))
def test_a_large_file_is_not_held_in_memory(unpacked, program):
    """It is on the disk once more, as the bundle that the unpacked was."""
    with (unpacked / "game.gcg").open("wb") as handle:
        handle.truncate(300 << 20)
    status, out, err = run_in_memory(program, 768, unpacked)
    assert (status, err) == (1, "")
    assert "game.gcg" in out


@pytest.mark.parametrize("raw", ["[" * DEEP + "]" * DEEP, '"\\ud800"', '"\\u001b[2K\\nb: sound"'])
def test_hostile_names_reach_no_terminal(tmp_path, run, forger, raw):
    forger.manifest["game"]["players"]["left"] = RAW
    forger.manifest["head"]["digest"] = RAW
    (tmp_path / "b.zip").write_bytes(forger.made(raw))
    status, out, err = run(tmp_path / "b.zip")
    assert (status, err) == (1, "")
    assert out.count("\n") < 10
    assert out.replace("\n", "").isprintable()
    assert not any(line.startswith("b: sound") for line in out.splitlines())


def test_a_folder_into_which_a_bundle_was_unpacked_is_checked(unpacked):
    (unpacked / ".DS_Store").write_bytes(b"of another program")
    assert verify(unpacked).faults == []
    assert checked(unpacked).faults == []


def test_a_folder_with_a_changed_picture_is_not_sound(unpacked):
    picture = next((unpacked / "pictures").iterdir())
    picture.write_bytes(picture.read_bytes()[:-3])
    assert verify(unpacked).faults[0].place == f"pictures/{picture.name}"
    assert checked(unpacked).faults[0].place == f"pictures/{picture.name}"


def test_a_folder_without_one_of_the_files_is_not_sound(unpacked):
    (unpacked / "chain.txt").unlink()
    assert any(one.place == "chain.txt" for one in verify(unpacked).faults)
    assert any(one.place == "chain.txt" for one in checked(unpacked).faults)


@pytest.mark.parametrize("name", ["../b.zip", "/etc/passwd", "pictures/../../b.zip", 7])
def test_a_folder_whose_manifest_leads_out_of_it_is_no_bundle(unpacked, name, capsys):
    (unpacked / "manifest.json").write_text(f'{{"files": [{{"name": "{name}"}}]}}')
    assert main(["verify", str(unpacked)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(independent().Unusable):
        checked(unpacked)


def test_a_folder_that_is_none_is_named(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 2
    assert "unpack the whole bundle into it" in capsys.readouterr().err


def test_one_packed_again_says_what_to_do(unpacked, tmp_path, capsys):
    again = shutil.make_archive(str(tmp_path / "again"), "zip", unpacked)
    assert main(["verify", again]) == 1
    output = capsys.readouterr().out
    assert "unpack it into a folder and verify that folder" in output
    assert "manifest.json" not in output


def test_sound_without_a_key_says_so(honest, capsys):
    assert main(["verify", str(honest.path)]) == 0
    out = capsys.readouterr().out
    assert "sound in itself, but no key was compared" in out
    assert "Anybody can make a bundle that is sound in itself" in out
    assert main(["verify", str(honest.path), "--key", honest.key.fingerprint]) == 0
    out = capsys.readouterr().out
    assert f"{honest.path}: sound\n" in out
    assert "no key was compared" not in out


def test_what_is_proved_is_said_first_and_then_what_was_compared(honest, run):
    status, out, err = run(honest.path)
    first, *details = out.splitlines()
    assert (status, err) == (0, "")
    assert first.startswith(f"{honest.path}: sound in itself, but no key was compared")
    kinds = [line.strip().partition(":")[0] for line in details]
    order = ["proved", "not compared", "game", "made"]
    assert [kind for kind in dict.fromkeys(kinds) if kind in order] == order
    assert kinds[-1] == "not checked"
    assert details[0].startswith(f"  proved: the key {honest.key.fingerprint} signed all ")


def test_a_page_that_was_not_checked_is_not_called_sound(forger, tmp_path, capsys):
    forger.files["index.html"] = b"<p>Ann won by 500"
    forger.manifest["exported_with"]["program"] = "0" * 64
    forger.listed()
    path = tmp_path / "b.zip"
    path.write_bytes(forger.made())
    assert main(["verify", str(path), "--key", forger.key.fingerprint]) == 0
    first, *details = capsys.readouterr().out.splitlines()
    assert first == f"{path}: sound; what the page says was not checked"
    assert any(line.startswith("  not checked: the page: another version") for line in details)


def test_two_bundles_of_one_game_know_of_each_other(tmp_path, capsys):
    bundle = make(tmp_path, tmp_path / "b.zip", turns=2)
    log_a_late_penalty(tmp_path)
    later = bundle_of(tmp_path, tmp_path / "later.zip")
    assert main(["verify", str(later), str(bundle)]) == 0
    out = capsys.readouterr().out
    assert re.search("an earlier bundle of this game was made 20.* and ends with event", out)
    lines = out[out.index(f"{later} has all events of {bundle}, and 2 more:\n") :].splitlines()[1:]
    number = verify(bundle).facts.events
    assert lines[0].startswith(f"  event {number + 1}: the game was reopened: ")
    assert "(entered by director, because: a penalty)" in lines[0]
    assert lines[1].startswith(
        f"  event {number + 2}: 10 points off Ann (entered by director, because: late) → "
    )
    assert "Ann's score: 1 → −9" in lines[1]
    assert lines[2:] == [
        f"  the result in {bundle}: Ann 1, Björn 20: Björn won by 19",
        f"  the result in {later}: Ann −9, Björn 20: Björn won by 29",
    ]
    assert main(["verify", str(bundle), str(bundle)]) == 0
    assert f"the same {number} events\n  the result is the same: Ann 1" in capsys.readouterr().out


def test_two_logs_of_one_game_are_told_apart_where_they_part(tmp_path, capsys):
    fill(tmp_path / "table", turns=2, signed=False)
    shutil.copytree(tmp_path / "table", tmp_path / "other")
    made = []
    for name, why in (("table", "late"), ("other", "rude")):
        with EventLog(tmp_path / name / DATABASE) as log:
            payload = to_payload(PenaltyAdded("left", 5, None, "director", why, 10**12))
            log.append(GAME, payload, mono_ns=10**12, source="director")
        made.append(bundle_of(tmp_path / name, tmp_path / f"{name}.zip"))
    assert main(["verify", *map(str, made)]) == 0
    out = capsys.readouterr().out
    number = verify(made[0]).facts.events
    assert f"{made[0]} and {made[1]}: NOT one log of this game, from event {number} on\n" in out
    for path, why in zip(made, ("late", "rude"), strict=True):
        lines = f"  only in {path}:\n    event {number}: 5 points off Ann (entered by director, "
        assert f"{lines}because: {why})" in out


def test_a_page_that_was_changed_is_named_before_any_byte(honest, tmp_path, capsys):
    """Somebody opens the archive with a program of theirs and puts another page into it."""
    path = tmp_path / "changed.zip"
    with zipfile.ZipFile(honest.path) as old, zipfile.ZipFile(path, "w") as new:
        for one in old.infolist():
            page = one.filename == "index.html"
            new.writestr(one, old.read(one).replace(b"Ann", b"Bea") if page else old.read(one))
    assert main(["verify", str(path)]) == 1
    _, *faults, events = capsys.readouterr().out.splitlines()
    assert faults[0] == "  the page: is not the one that was signed (index.html)"
    assert faults[1].startswith("  the ZIP file itself: another program packed it again")
    assert events.startswith("  the events are sound: the key ")
