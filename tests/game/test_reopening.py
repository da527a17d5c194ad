"""A signed result is opened again: on the grounds of a text, or where the record is wrong."""

from __future__ import annotations

import re

import pytest

from game.errors import TilewatchError
from game.events import GameReopened, PointsAdjusted, ResultSigned
from game.rulebooks.loading import load_rulebook, rulebook_ids
from game.state.fold import fold

from .test_clock_after_end import begun


@pytest.mark.parametrize("book", rulebook_ids())
def test_a_record_that_is_not_what_was_signed_is_put_right_under_any_text(book):
    table = begun(book)
    table.end("director")
    table.put(ResultSigned("both", table.now))
    rulebook = load_rulebook(book)
    if "record_wrong" not in rulebook.signed_grounds:
        with pytest.raises(TilewatchError, match="say what in the record"):
            table.put(GameReopened("record_wrong", "TD", " ", table.now))
    rule = re.escape(f"({rulebook.rule('signed.grounds')})")
    with pytest.raises(TilewatchError, match=f"nothing else does {rule}"):
        table.put(GameReopened("other", "TD", "a wrong sum found at home", table.now))
    state = table.put(GameReopened("record_wrong", "Tess", "signed at the wrong table", table.now))
    assert (state.signed, state.status) == (None, "ended")
    flags = [flag for flag in state.flags if flag.code == "reopened_unlisted"]
    if "record_wrong" in rulebook.signed_grounds:
        assert (book, flags) == ("sanspa-2001", [])
    else:
        (flag,) = flags
        assert flag.message.startswith("Tess opened the signed result")
        assert flag.message.endswith("do not list: signed at the wrong table")
        assert (flag.rule, flag.visibility) == (rulebook.rule("signed.grounds"), "director")
    before = state.scores["left"]
    table.put(PointsAdjusted("left", 5, "score", None, "TD", "as signed", table.now))
    state = table.put(ResultSigned("both", table.now))
    assert state.scores["left"] == before + 5
    assert len([one for one in state.flags if one.code == "reopened_unlisted"]) == len(flags)
    assert fold(table.events) == state
