"""In a dialog one module hears what its form holds, so that nothing shown is of another field."""

from __future__ import annotations

import re
from pathlib import Path

import dashboard

DIRECTOR = Path(dashboard.__file__).parent / "static" / "director"
HEARS = re.compile(r'addEventListener\(\s*"(?:input|change)"|\bon(?:input|change):')
ALONE = {
    "dialog.js": 1,  # a field that is left; nothing shown or ruled hangs on it
    "fields.js": 1,  # the hint on a text's length
    # Lists and boxes that stand outside of dialogs and act at once:
    **{"games.js": 1, "links.js": 1, "overlays.js": 3, "picture.js": 1, "turn.js": 1},
}


def test_what_a_form_of_the_desk_holds_is_heard_in_one_place():
    found = {
        path.name: len(HEARS.findall(path.read_text("utf-8")))
        for path in sorted(DIRECTOR.glob("*.js"))
    }
    assert {name: count for name, count in found.items() if count} == ALONE
    assert '["input", "change"]' in (DIRECTOR / "edits.js").read_text("utf-8")


def test_a_dialog_rules_on_nothing_that_it_has_not_shown():
    """Every way to enter something asks first whether the form still holds what is shown."""
    code = (DIRECTOR / "dialog.js").read_text("utf-8")
    for way in ("async submit(event) {", "async enterChoice("):
        body = code[code.index(way) :]
        assert "this.unseen()" in body[: body.index("this.rule(")], way
