"""The evidence of a game as a file to download: whose it is, and that it is the command's own."""

from __future__ import annotations

import io
import zipfile

import pytest

from dashboard.director import dispute
from dashboard.director.dispute import ArchiveError, make_archive
from game.events import GameEnded
from record.verifier.replay import verify
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import TURNS
from tests.dashboard.directorkit import GAME, post
from tests.dashboard.directorpages import TABLE

ARCHIVE = f"{GAME}/archive"


def test_a_director_gets_the_archive_that_the_command_makes(desk, game, ann, tmp_path):
    game.play(*TURNS[0])
    answer = post(ann, ARCHIVE, {})
    assert (answer.status_code, answer.mimetype) == (200, "application/zip")
    name = "game-1.tilewatch.zip"
    assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert "manifest.json" in zipfile.ZipFile(io.BytesIO(answer.data)).namelist()
    path = tmp_path / name
    path.write_bytes(answer.data)
    answer.close()
    assert verify(path).ok
    assert post(ann, ARCHIVE.replace("game-1", "game-9"), {}).status_code == 404


def test_a_refusal_of_the_command_is_told_in_its_words_and_one_is_made_at_a_time(game, log):
    with pytest.raises(ArchiveError, match="no game 'game-9'"):
        make_archive(log, "game-9")
    with dispute._AT_ONCE, pytest.raises(ArchiveError, match="another archive is being made"):
        make_archive(log, "game-1")


@pytest.mark.browser
@pytest.mark.everyday
def test_the_pages_save_it_and_say_where_the_game_still_goes_on(
    at_desk, browser, url, game, tmp_path
):
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there(".archive button")
    partial = "The game goes on: the file has what there is so far."
    page.says(".archive [role=status]", partial)
    game.put(GameEnded("agreed", game.t_ns))
    page = at_desk()
    page.click("#result .archive button")
    saved = "Saved as game-1.tilewatch.zip."
    page.wait(f"document.querySelector('.archive [role=status]').textContent === '{saved}'")
    with dispute._AT_ONCE:
        page.click("#result .archive button")
        busy = "The file could not be made: another archive is being made; try again in a moment."
        page.wait(f"document.querySelector('.archive [role=status]').textContent === '{busy}'")
