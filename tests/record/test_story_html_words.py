"""Text of the account as HTML."""

from __future__ import annotations

import pytest

from record.story_html.words import escape

MARK = "\N{LEFT-TO-RIGHT MARK}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann 24:43, Bo 24:51", "Ann 24:43, Bo 24:51"),
        ("אברהם 24:43, Bo 24:51", f"אברהם{MARK} 24:43, Bo 24:51"),
        ("Bo 24:51; אברהם took 0:08", "Bo 24:51; אברהם took 0:08"),
        ("a & b", "a &amp; b"),
    ],
)
def test_a_number_stays_on_the_right_of_a_name(text, shown):
    assert escape(text) == shown
