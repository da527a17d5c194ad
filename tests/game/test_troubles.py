"""Each kind of trouble has its words, and a trouble begins, happens or ends as its kind does."""

from __future__ import annotations

from typing import get_args

import pytest

from game.troubles import TROUBLES, TroubleCode, make_trouble, trouble_over

CODES = get_args(TroubleCode)


def test_each_code_is_a_kind_of_trouble():
    assert set(CODES) == set(TROUBLES)


@pytest.mark.parametrize("code", CODES)
def test_a_trouble_that_lasts_begins_and_tells_its_end(code):
    kind = TROUBLES[code]
    assert kind.label
    begun = make_trouble(code, "the line", 5, "left")
    assert (begun.code, begun.what, begun.message, begun.t_ns) == (code, "left", "the line", 5)
    assert begun.state == ("begins" if kind.lasts else "happened")
    assert bool(kind.over) == kind.lasts
    if kind.lasts:
        over = trouble_over(code, 9, "left")
        assert (over.state, over.message, over.t_ns) == ("over", kind.over, 9)
        assert trouble_over(code, 9, message="other words").message == "other words"
