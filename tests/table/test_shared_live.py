"""Real boards in video, with pretended hands and presses the moment the hand has left."""

from __future__ import annotations

import json

import pytest

from table.cli import main

from .sharedkit import due, expected, live_video, read, shortened

pytestmark = pytest.mark.shared


@pytest.mark.slow
def test_every_turn_that_is_pressed_the_moment_the_hand_has_left(shared_dir, tmp_path, capsys):
    tool = shared_dir / "tools" / "live_video.py"
    if not tool.is_file():
        pytest.skip("nothing there to make a video with")
    stills = shortened(shared_dir / "recordings" / "romanian-game1", 8, tmp_path / "stills")
    video = live_video(tool, stills, tmp_path / "video", "--fast")
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    document, rows = json.loads(capsys.readouterr().out), expected(stills)
    found = [read(turn, row) for turn, row in zip(document["turns"], rows, strict=True)]
    assert found == [due(row) for row in rows]
