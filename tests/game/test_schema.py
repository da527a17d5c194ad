"""The schema of a game's JSON: each field once, and none that an audience was not given."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from game.flags import make_flag
from game.schema import Adjustment, Flag, Shape, StatedTurn, Turn, View
from game.state.ending import Adjustment as Line

from .gamekit import Table

FLAG = make_flag("off_centre", ("8H",))


def shapes() -> list[type[Shape]]:
    found, new = [], [Shape]
    while new:
        found += (new := [sub for one in new for sub in one.__subclasses__()])
    return [one for one in found if one.__module__ == "game.schema"]


def test_what_is_optional_is_never_taken_from_an_object():
    assert set(Flag.of(FLAG).as_json()) == {"code", "label", "squares", "rule", "message"}
    shown = Flag.of(FLAG, visibility=FLAG.visibility, settled=None).as_json()
    assert (shown["visibility"], shown["settled"]) == (FLAG.visibility, None)
    rack = Line("end_rack", "left", 8, 100, None, 20, tiles="Q")
    assert "tiles" not in Adjustment.of(rack).as_json()
    assert Adjustment.of(rack, tiles=rack.tiles).as_json()["tiles"] == "Q"


def test_what_has_fields_for_some_alone_is_not_converted_unseen():
    table = Table()
    table.play("8G", "CAT")
    with pytest.raises(ValidationError, match="flags"):
        Turn.of(table.state.turns[0], flags=[FLAG])
    guarded = {
        one for one in shapes() if any(not f.is_required() for f in one.model_fields.values())
    }
    assert {Flag, Turn, Adjustment, View} <= guarded
    assert [one for one in guarded if one.model_config["from_attributes"]] == []


def test_a_statement_has_the_fields_of_a_turn_in_its_own_form():
    table = Table()
    table.play("8G", "CAT")
    turn = table.state.turns[0]
    stated, shown = StatedTurn.of(turn).as_json(), Turn.of(turn, flags=[]).as_json()
    assert stated["words"] == [("CAT", 10)]
    assert shown["words"] == [{"symbols": "CAT", "text": "CAT", "points": 10}]
    assert stated.keys() < shown.keys()


def test_a_field_that_the_schema_does_not_know_is_refused():
    with pytest.raises(ValidationError, match="valid"):
        Flag.of(FLAG, valid=True)
