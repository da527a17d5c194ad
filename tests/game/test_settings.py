"""Every setting of a rulebook is read by the code, or it has no business in a rulebook."""

from __future__ import annotations

import ast
from importlib import resources
from pathlib import Path

import pytest

import game
from game.errors import TilewatchError
from game.rulebooks.loading import parse_rulebook, settings

ROOT = Path(game.__file__).parent


def read_names():
    """The names of attributes that the package reads; the listing reads none by name."""
    return {
        node.attr
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def test_every_setting_is_read():
    assert not settings().keys() - read_names()


def test_a_setting_on_which_a_text_is_silent_may_be_left_out():
    text = (resources.files("game") / "data" / "rulebooks" / "wespa-2007.toml").read_text("utf-8")
    assert "failed_cap" not in text
    book = parse_rulebook("mine", text)
    assert (book.challenge_failed_cap, book.rule("challenge.failed_cap")) == (0, None)
    head = "[challenge]\n"
    given = parse_rulebook(
        "mine", text.replace(head, f'{head}failed_cap = {{ is = 9, rule = "9" }}\n')
    )
    assert (given.challenge_failed_cap, given.rule("challenge.failed_cap")) == (9, "9")
    with pytest.raises(TilewatchError, match="name its rule"):
        parse_rulebook("mine", text.replace(head, f"{head}failed_cap = {{ is = 9 }}\n"))
