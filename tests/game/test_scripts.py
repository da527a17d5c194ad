"""The games of ``scripts/``, told in lines (``scriptkit.py``), and what comes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .scriptkit import follow, scripts

GAMES = [
    pytest.param(*one.values, id=f"{path.stem}: {one.id}")
    for path in sorted((Path(__file__).parent / "scripts").glob("*.txt"))
    for one in scripts(path.read_text("utf-8"))
]


@pytest.mark.parametrize("script", GAMES)
def test_a_game_comes_to_what_its_script_says(script):
    follow(script)
