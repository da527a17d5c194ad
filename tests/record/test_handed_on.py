"""Bundles as people hand them on: unpacked, packed again, several of one game."""

from __future__ import annotations

import shutil

import pytest

from record.verifier.verify import verify
from table.cli import main

from .bundlekit import bundle_of, independent, log_a_late_penalty, make


def refused_by_the_second(folder, error="Bad") -> bool:
    second = independent()
    with pytest.raises(getattr(second, error)):
        second.checked_file(str(folder), [], None)
    return True


def test_a_folder_into_which_a_bundle_was_unpacked_is_checked(unpacked):
    (unpacked / ".DS_Store").write_bytes(b"of another program")
    assert verify(unpacked).faults == []
    assert independent().checked_file(str(unpacked), [], None)


def test_a_folder_with_a_changed_picture_is_not_sound(unpacked):
    picture = next((unpacked / "pictures").iterdir())
    picture.write_bytes(picture.read_bytes()[:-3])
    assert verify(unpacked).faults[0].place == f"pictures/{picture.name}"
    assert refused_by_the_second(unpacked)


def test_a_folder_without_one_of_the_files_is_not_sound(unpacked):
    (unpacked / "chain.txt").unlink()
    assert any(one.place == "chain.txt" for one in verify(unpacked).faults)
    assert refused_by_the_second(unpacked)


@pytest.mark.parametrize("name", ["../b.zip", "/etc/passwd", "pictures/../../b.zip", 7])
def test_a_folder_whose_manifest_leads_out_of_it_is_no_bundle(unpacked, name, capsys):
    (unpacked / "manifest.json").write_text(f'{{"files": [{{"name": "{name}"}}]}}')
    assert main(["verify", str(unpacked)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert refused_by_the_second(unpacked, "Unusable")


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
    assert "anybody can make a bundle that is sound in itself" in out
    assert main(["verify", str(honest.path), "--key", honest.key.fingerprint]) == 0
    out = capsys.readouterr().out
    assert f"{honest.path}: sound\n" in out
    assert "no key was compared" not in out


def test_two_bundles_of_one_game_know_of_each_other(tmp_path, capsys):
    bundle = make(tmp_path, tmp_path / "b.zip", turns=2)
    log_a_late_penalty(tmp_path)
    later = bundle_of(tmp_path, tmp_path / "later.zip")
    assert main(["verify", str(later), str(bundle)]) == 0
    out = capsys.readouterr().out
    assert f"{later} has all events of {bundle}, and 2 more" in out
    assert "an earlier bundle of this game ends with event" in out
    assert main(["verify", str(bundle), str(bundle)]) == 0
    assert "the same events" in capsys.readouterr().out
