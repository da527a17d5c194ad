"""No module reads what another keeps to itself: an underscored attribute belongs to its class."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import game
from game.state.game_state import GameState
from game.state.progress import Progress

ROOT = Path(game.__file__).parent
OWN = {"self", "cls", "other"}


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_underscored_attribute_of_another_object_is_read(path):
    tree = ast.parse(path.read_text("utf-8"))
    # What the module itself declares is its own: a class method or a factory may read it.
    declared = {
        target.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }
    read = {
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in declared
        and not (isinstance(node.value, ast.Name) and node.value.id in OWN)
    }
    assert not read


@pytest.mark.parametrize("cls", [GameState, Progress])
def test_the_state_of_a_game_has_no_hidden_fields(cls):
    assert not [name for name in cls.__dataclass_fields__ if name.startswith("_")]
