"""The registry of flags is whole; no module reads what another keeps to itself."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

import game
from game.flag_codes import REPORTED
from game.flags import CODES, label, make_flag
from game.rulebooks.judging import judge
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.game_state import GameState, Progress

ROOT = Path(game.__file__).parent
GIVEN = {"code", "variant", "rule", "visibility", "side"}


@cache
def calls() -> list:
    """Every ``make_flag("code", …)`` in the package, as (code, variants, names of values)."""
    found = []
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "make_flag":
                continue
            code = node.args[0]
            if not isinstance(code, ast.Constant):
                continue  # the camera's findings, which bring their message
            named = {one.arg: one.value for one in node.keywords}
            variants = [
                one.value
                for one in ast.walk(named.get("variant", ast.Constant("")))
                if isinstance(one, ast.Constant)
            ]
            found.append((code.value, variants, named.keys() - GIVEN))
    return found


def messages(code):
    texts = CODES[code].messages
    return {"": texts} if isinstance(texts, str) else dict(texts)


def fields(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None} - {"squares"}


@pytest.mark.parametrize("code", CODES)
def test_a_message_is_given_all_that_it_names_and_no_more(code):
    texts = messages(code)
    for raised, variants, given in calls():
        if raised != code:
            continue
        due = [texts[one] for one in variants if one in texts] or list(texts.values())
        for text in due:
            lacking = fields(text) - given - {"turn"}
            assert not lacking, f"give make_flag({code!r}, …) what its message names: {text}"
        unused = given - {"turn"} - set().union(*map(fields, due))
        assert not unused, f"make_flag({code!r}, …) is given what no message of it names"


def test_every_code_with_a_message_is_raised_and_every_other_is_a_finding():
    raised = {code for code, _, _ in calls()}
    raised |= REPORTED.keys()  # all by one call; tests/game/test_reports.py raises each
    worded = {code for code, known in CODES.items() if known.messages}
    assert not worded - raised, (
        "raise these with make_flag in game/, or leave their messages empty in game/flag_codes.py "
        "if a camera finds them"
    )
    assert not raised - worded, "give these their messages in game/flag_codes.py"


def test_labels_are_words_and_tell_codes_apart():
    labels = [known.label for known in CODES.values()]
    assert len(set(labels)) == len(labels)
    assert not any("_" in one or not one for one in labels)
    assert label("off_centre") == "off centre"
    assert label("log_full") == "log full"


@pytest.mark.parametrize("book", rulebook_ids())
def test_a_table_in_a_rulebook_repeats_nothing_that_the_registry_says(book):
    text = (ROOT / "data" / "rulebooks" / f"{book}.toml").read_text("utf-8")
    for block in text.split("[flag.")[1:]:
        code, _, rest = block.partition("]\n")
        if code in CODES:
            assert f'seen_by = "{CODES[code].visibility}"' not in rest.split("\n[")[0], (
                f"leave seen_by out of [flag.{code}]: it is so in game/flag_codes.py"
            )


def test_what_no_rulebook_rules_on_carries_the_rule_of_its_setting():
    book = load_rulebook("wespa-2007")
    flag = judge(make_flag("clock_stopped", variant="before"), book)
    assert (flag.rule, flag.remedies) == (book.rule("stop.reasons"), ())


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
