"""What people see of tiles that say several letters, and of the Turkish i: never its symbol."""

from __future__ import annotations

import json
import re

import pytest

from game.events import (
    BlankDesignated,
    Finding,
    GameEnded,
    RackReported,
    SetAltered,
    SetSeen,
    SquareCorrected,
    from_payload,
)
from game.gcg import record_from_game, write
from game.state.fold import fold
from game.tile_symbols import SYMBOL_OF, TEXT_OF, spelled
from game.tileset import load_tile_set
from record.bundle.derived_files import page as bundle_page
from record.bundle.derived_files import picture_source
from record.story.entries import steps_of
from table.commands.replay import _show, _suggest
from table.views.views import AUDIENCES, view
from table.word_list import load_word_list
from tests.dashboard.browsing import Page, keys
from tests.dashboard.conftest import GameInLog
from tests.dashboard.directorpages import GAME, choice, chosen, post
from tests.record.bundlekit import entries_of

STANDS_IN = re.compile(f"[{''.join(TEXT_OF)}{''.join(TEXT_OF).lower()}]")


def symbols(text: str) -> str:
    """``[CH]A[rr]O`` as symbols; in small letters a blank."""

    def one(found: re.Match[str]) -> str:
        symbol = SYMBOL_OF[{"i": "İ"}.get(found[1], found[1].upper())]
        return symbol.lower() if found[1].islower() else symbol

    return re.sub(r"\[([^]]+)\]", one, text)


GAMES = {
    "spanish": (("8G", "[CH]A[rr]O", "CHArrO"), ("G8", ".E", "CHE"), "[CH]A[LL]?"),
    "hungarian": (("8G", "A[SZ][gy]", "ASZgy"), ("H8", ".Ó", "SZÓ"), "[CS][ZS]?"),
    "catalan": (("8F", "CE[L·L]A", "CEL·LA"), ("H8", ".[qu]I", "L·LquI"), "[QU]A"),
    "turkish": (("8G", "[İ]Ki", "İKı"), ("G8", ".[i]N", "İiN"), "I[İ]?"),
}


@pytest.fixture(params=list(GAMES))
def played(request, log):
    """A game in a log with what may be said of it, and the words that people see."""
    first, second, rack = GAMES[request.param]
    game = GameInLog(log).start({"left": "Ann", "right": "Bo"}, request.param)
    game.play(first[0], symbols(first[1]), [Finding("uncertain_square", "8H", "may be A 60%")])
    game.play(second[0], symbols(second[1]))
    tiles = load_tile_set(request.param)
    letter = next(iter(tiles.spelling))
    game.put(SetAltered(letter, "", "director", "it is lost", game.t_ns))
    game.put(SetSeen(letter * 3, "ann", game.t_ns))
    game.play("10A", letter * 2)
    game.put(SquareCorrected(3, "10A", letter.lower(), "ann", "seen", game.t_ns))
    game.put(BlankDesignated("10A", letter, "ann", "said so", game.t_ns))
    game.put(GameEnded("agreed", game.t_ns))
    for side in ("left", "right"):
        game.put(RackReported(side, symbols(rack), game.t_ns, counted=len(symbols(rack))))
    return game, (first[2], second[2])


def state_of(game: GameInLog):
    return fold(from_payload(entry.payload) for entry in game.log.events())


def test_messages_are_spelled_and_words_have_both(played):
    game, words = played
    state = state_of(game)
    for audience in AUDIENCES:
        shown = view(state, audience)
        spellings = shown["tile_set"]["spellings"]
        for turn, word in zip(shown["turns"], words, strict=False):
            main = turn["words"][0]
            assert main["text"] == word
            assert "".join(spellings.get(one, one) for one in main["symbols"]) == word
        assert all(len(row) == 15 for row in shown["rows"])
        flags = [flag for turn in shown["turns"] for flag in turn["flags"]] + shown["flags"]
        assert not STANDS_IN.search(json.dumps([flag["message"] for flag in flags]))
        if audience == "director":
            assert len(flags) > 2
            offered = json.dumps([one["text"] for f in flags for one in f["remedies"]])
            assert not STANDS_IN.search(offered)


def test_the_page_of_a_bundle_spells_them(played):
    game, words = played
    events = [from_payload(entry.payload) for entry in game.log.events()]
    html = bundle_page(steps_of(entries_of(events)), "0" * 64, picture_source({})).decode()
    output = re.sub(r"<pre>.*?</pre>", "", html, flags=re.DOTALL)  # as it was logged
    assert not STANDS_IN.search(output)
    assert all(spelled(word.upper()) in output.upper() for word in words)


def test_the_commands_spell_them(played, capsys, tmp_path):
    game, words = played
    state = state_of(game)
    _show(state)
    path = tmp_path / "words.txt"
    path.write_text("\n".join(words), "utf-8")
    found = load_word_list(path, state.tile_set)
    assert len(found.words) == len({word.upper() for word in words})
    _suggest(state, found)
    shown = capsys.readouterr().out
    assert not STANDS_IN.search(shown)
    assert [shown.count(word.rsplit(".")[0]) > 0 for word in words[:1]] == [True]
    assert not STANDS_IN.search(write(record_from_game(state)))


def test_pages_and_values_for_overlays_spell_them(played, halls):
    hall = halls()
    client, headers = hall.visitor(), hall.token("overlay")
    obs = ("last_play", "blank1", "unseen_tiles")
    for path in ("/tables/1", *(f"/obs/feature/{name}.txt" for name in obs)):
        text = client.get(path, headers=headers).text
        assert text or "unseen" in path, path
        assert not STANDS_IN.search(text), path


@pytest.fixture
def game(log) -> GameInLog:
    return GameInLog(log).start({"left": "Ann", "right": "Bo"}, "spanish")


@pytest.mark.parametrize("tiles", ["[CH]a?", "[ch]A?", symbols("[CH]A?")])
def test_a_rack_is_typed_in_brackets_or_with_the_reserved_symbol(desk, game, ann, tiles):
    game.play("8G", symbols("[CH]A[rr]O"))
    game.put(GameEnded("agreed", game.t_ns))
    event = {"type": "RackReported", "side": "left", "tiles": tiles, "counted": 3}
    body = {"event": event, "why": "shown"}
    assert post(ann, f"{GAME}/preview", body).json["difference"]["scores"]
    assert post(ann, f"{GAME}/rule", body).status_code == 200
    assert desk.events("RackReported")[0]["tiles"] == symbols("[CH]A?")
    strange = body | {"event": event | {"tiles": "[SZ]A?"}}
    output = post(ann, f"{GAME}/preview", strange).json["refused"]
    assert "has no tile" in output
    assert not STANDS_IN.search(output)


@pytest.mark.browser
def test_a_director_sees_and_types_them(at_desk, desk, game):
    """A board square, the list of turns, the pad and a rack, as a director meets them."""
    game.play("8G", symbols("[CH]A[rr]O"))
    page = at_desk()
    page.there("#turns [data-correct]", 1)
    page.says("#turns .play", starts="8G CHARRO")
    reported = "document.querySelector('#board [data-name=\"8{}\"] .letter').dataset.print"
    assert [page.js(reported.format(at)) for at in "GHIJ"] == ["CH", "A", "RR", "O"]
    name = "document.querySelector('#board [data-name=\"8G\"]').ariaLabel"
    page.reads(name, starts="8G, CH, 5 points")
    page.click("#board [data-name='8H']")
    page.wait("document.querySelectorAll('#dialog [data-choice]:not(:disabled)').length > 20")
    assert not STANDS_IN.search(page.js("document.querySelector('#dialog').textContent"))
    page.says(choice(SYMBOL_OF["LL"]), starts="LL")
    chosen(page, SYMBOL_OF["LL"])
    assert desk.events("SquareCorrected")[0]["symbol"] == SYMBOL_OF["LL"]
    page.says("#turns .play", has="CHLLRRO")
    assert not STANDS_IN.search(page.js("document.body.innerText"))
    assert page.troubles() == []


@pytest.mark.browser
def test_turkish_keys_type_their_own_letters(at_desk, browser, desk, log):
    """On a Turkish keyboard i is the dotted letter and ı the dotless one."""
    game = GameInLog(log, "game-2").start({"left": "Ann", "right": "Bo"}, "turkish")
    game.play("8G", symbols("[İ]Ki"))
    page = at_desk()
    page.there("#turns [data-correct]", 1)
    page.says("#turns .play", starts="8G İKI")
    page.click("#board [data-name='8H']")
    page.there("#dialog[open]")
    for key, symbol in (("i", SYMBOL_OF["İ"]), ("ı", "I"), ("k", "K")):
        if not page.js("document.querySelector('#dialog').open"):
            page.click("#board [data-name='8H']")
        page.wait("document.querySelectorAll('#dialog [data-choice]:not(:disabled)').length > 20")
        keys(browser, key)
        page.there("#dialog:not([open])")
        assert desk.events("SquareCorrected")[-1]["symbol"] == symbol
    assert page.troubles() == []


@pytest.mark.browser
def test_spectators_see_them(driver, url, game):
    game.play("8G", symbols("[CH]A[rr]O"))
    for path in ("/tables/1", "/overlay/1/scene"):
        page = Page(driver, f"{url}{path}")
        page.there(".tile .letter")
        printed = "[...document.querySelectorAll('.tile .letter')].map((e) => e.dataset.print)"
        page.wait(f"{printed}.includes('CH') && {printed}.includes('RR')")
        assert not STANDS_IN.search(page.js("document.body.innerText"))
        assert page.troubles() == []
