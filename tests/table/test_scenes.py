"""The scenes of ``tests/table/scenes``: pictures and presses, and the turns that come of them.

Each file has scenes on one subject. A scene has a name and steps (``scenekit.py`` does them); with
``after = "opening"`` the left player has laid CAT at 8G and pressed 950 ms after the start.
``stills`` are of a camera that sends a picture now and then.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from game.events import from_payload
from game.state.fold import fold

from .conftest import Bench
from .scenekit import Scene

OPENING = """
0-500 empty
press right 450
500-1500 cat
press left 950
"""
STARTED = "0-500 empty\npress right 450\n"
STOPPED = (
    OPENING
    + """
phoney = cat + 9G ONE
answer = cat + 9G OX
1500-1800 hand phoney
1800-3000 phoney
press right 2950
3000-3500 phoney
press neutral 3490
"""
)
BEFORE = {"opening": OPENING, "start": STARTED, "stop": STOPPED, "nothing": ""}
KEYS = {"name", "why", "after", "stills", "rulebook", "steps", "files"}
SCENES = [
    pytest.param({**document.get("all", {}), **scene}, id=f"{path.stem}: {scene['name']}")
    for path in sorted((Path(__file__).parent / "scenes").glob("*.toml"))
    for document in [tomllib.loads(path.read_text("utf-8"))]
    for scene in document["scene"]
]


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_recorded_as_it_was(scene, tmp_path, monkeypatch):
    assert scene.keys() <= KEYS
    rulebook = scene.get("rulebook", "wespa-2007")
    bench = Bench(tmp_path, scene.get("stills", False), rulebook, scene.get("files", False))
    with bench.log:
        played = Scene(bench, monkeypatch)
        for step in (BEFORE[scene.get("after", "nothing")] + scene["steps"]).splitlines():
            if step.strip():
                played.take(step)
        logged = [from_payload(event.payload) for event in bench.log.events()]
        assert played.made_up or fold(logged) == bench.state
        assert bench.log.verify() is None
