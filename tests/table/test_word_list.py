"""Word lists that users bring."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest

from game.errors import TilewatchError
from game.events import GameStarted, TurnSeen
from game.state.fold import fold
from game.tileset import load_tile_set
from table.views.views import view
from table.word_list import load_word_list

ENGLISH = load_tile_set("english")


def test_a_plain_file(tmp_path):
    file = tmp_path / "club.txt"
    data = "\ufeff# ours\ncat\nCOT 12 a definition\n\ncan't\ncut\r\n".encode()
    file.write_bytes(data)
    words = load_word_list(file, ENGLISH)
    assert words.words == {"CAT", "COT", "CUT"}
    assert words.named() == {"name": "club", "sha256": hashlib.sha256(data).hexdigest()}


def test_letters_with_combining_marks_are_joined(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text(unicodedata.normalize("NFD", "grün\n"), "utf-8")
    german = load_tile_set("german")
    assert load_word_list(file, german).words == {"GRÜN"}
    assert german.rack(unicodedata.normalize("NFD", "grün")) == "GRÜN"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"caf\xe9\n", "not UTF-8"),
        (b"", "no word in it"),
        ("слово\n".encode(), "no word in it"),
    ],
)
def test_what_is_no_list_is_one_line(tmp_path, data, why):
    file = tmp_path / "list.txt"
    file.write_bytes(data)
    with pytest.raises(TilewatchError, match=why):
        load_word_list(file, ENGLISH)
    with pytest.raises(TilewatchError, match="not readable"):
        load_word_list(tmp_path, ENGLISH)
    with pytest.raises(TilewatchError, match="not readable"):
        load_word_list(tmp_path / "none.txt", ENGLISH)


def test_only_a_director_is_shown_suggestions():
    rows = ["." * 15] * 15
    rows[7] = "......C?T......"
    state = fold(
        [
            GameStarted("g", {"left": "Ann", "right": "Bo"}, "wespa-2007", "english", "left", 0),
            TurnSeen("left", 1, tuple(rows)),
        ]
    )
    words = frozenset({"CAT", "COT"})
    assert view(state, "director", words)["suggestions"] == {"8H": ["A", "O"]}
    assert "suggestions" not in view(state, "director")
    for audience in ("public", "player"):
        assert view(state, audience, words) == view(state, audience)
