"""``tilewatch export`` and ``verify`` on the command line, and the page in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import time
import zipfile
from pathlib import Path

import pytest

from game.gcg import check, parse
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.seals import digest
from table.cli import main
from tests.machine import until

from .bundlekit import GAME, OTHER, fill, log_a_late_penalty, unpacked
from .crashkit import behind_its_back


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    fill(folder, turns=7)
    return folder


def exported(data, tmp_path, capsys, game=GAME) -> tuple[Path, dict]:
    target = tmp_path / "b.zip"
    assert main(["export", game, "--data", str(data), "-o", str(target), "--json"]) == 0
    return target, json.loads(capsys.readouterr().out)


def test_there_and_back(data, tmp_path, capsys):
    target, output = exported(data, tmp_path, capsys)
    with EventLog(data / DATABASE, readonly=True) as log:
        last = log.last_of(GAME)
    assert output["digest"] == digest(last.hash)
    assert output["key"] == last.key
    assert (output["game_id"], output["pictures"], output["lost"]) == (GAME, 21, [])
    words = ["verify", str(target), "--key", output["fingerprint"], "--code", output["digest"]]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "b.zip: sound" in out
    assert output["fingerprint"] in out
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["faults"]) == (True, [])
    assert main(["verify", str(target), "--code", "AAAA-AAAA-AAAA"]) == 1
    assert "check code: no event has AAAA" in capsys.readouterr().out


def test_the_bundle_has_what_it_should(data, tmp_path, capsys):
    target, _ = exported(data, tmp_path, capsys)
    files = unpacked(target.read_bytes())
    manifest, events = json.loads(files["manifest.json"]), files["events.jsonl"].decode()
    assert {"index.html", "rulebook-wespa-2007.toml", "tiles-english.toml"} <= set(files)
    assert check(parse(files["game.gcg"], "game.gcg")) == []
    assert manifest["recorded_with"]["settings"] == {"fps": 10}
    assert "tiles.onnx" in manifest["exported_with"]["models"]
    assert "Čilla" not in events  # the other game stays covered
    assert OTHER not in json.dumps(manifest)


def test_games_are_found_by_what_people_type(data, tmp_path, capsys):
    for name, due in (("friday-1", GAME), ("friday-2", OTHER + GAME), ("last", OTHER + GAME)):
        assert main(["export", name, "--data", str(data), "-o", str(tmp_path)]) == 0
        (made,) = tmp_path.glob("*.tilewatch.zip")
        assert made.name.startswith(f"{due}_")
        assert f"{made}: " in capsys.readouterr().out
        assert main(["verify", str(made)]) == 0
        made.unlink()
        capsys.readouterr()
    for name, output in (("f", "several games begin with 'f'"), ("x", "no game 'x'; there are:")):
        assert main(["export", name, "--data", str(data)]) == 2
        assert output in capsys.readouterr().err
    assert main(["export", "x", "--data", str(tmp_path / "nowhere")]) == 2
    assert "no such event log" in capsys.readouterr().err


def test_a_log_that_does_not_hold_is_not_exported(data, tmp_path, capsys):
    folder = tmp_path / "table"
    shutil.copytree(data, folder)
    behind_its_back(folder / DATABASE, "UPDATE events SET wall_ns = wall_ns + 1 WHERE seq = 5")
    assert main(["export", GAME, "--data", str(folder), "-o", str(tmp_path)]) == 2
    assert "event 5: its contents were changed" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.zip"))


def test_lost_pictures_are_said_by_export_and_by_verify(data, tmp_path, capsys):
    folder = tmp_path / "table"
    shutil.copytree(data, folder)
    gone = sorted((folder / EVIDENCE).glob("*.jpg"))[0]
    gone.write_bytes(gone.read_bytes()[:-1])
    target = tmp_path / "b.zip"
    assert main(["export", GAME, "--data", str(folder), "-o", str(target)]) == 1
    assert f"lost: the picture {gone.stem}" in capsys.readouterr().err
    assert main(["verify", str(target)]) == 1
    assert f"pictures/{gone.name}" in capsys.readouterr().out


def test_two_exports_of_one_game_are_told_apart_by_name_and_by_page(tmp_path, capsys):
    fill(tmp_path / "table", turns=2)
    folder = tmp_path / "bundles"
    folder.mkdir()
    words = ["export", GAME, "--data", str(tmp_path / "table"), "-o", str(folder)]
    assert main(words) == 0
    log_a_late_penalty(tmp_path / "table")
    assert main(words) == 0
    with EventLog(tmp_path / "table" / DATABASE, readonly=True) as log:
        count = log.last_of(GAME).number
    made = {path.name: unpacked(path.read_bytes()) for path in folder.iterdir()}
    assert set(made) == {f"{GAME}_{n}-events.tilewatch.zip" for n in (count - 2, count)}
    for n, entered in ((count - 2, 3), (count, 5)):
        files = made[f"{GAME}_{n}-events.tilewatch.zip"]
        exported = json.loads(files["manifest.json"])["exported_wall_ns"] // 10**9
        when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(exported))
        says = f"This bundle was made {when} and has {n} events"
        assert f"<p>{says}; people entered {entered} of them.</p>" in files["index.html"].decode()
        assert says in files["README.txt"].decode()


def test_words_that_only_programmers_know_are_in_nothing_that_people_read(data, tmp_path, capsys):
    target, _ = exported(data, tmp_path, capsys)
    assert main(["verify", str(target)]) == 0
    files = unpacked(target.read_bytes())
    page = re.sub(r"<(style|script|pre)>.*?</\1>", "", files["index.html"].decode(), flags=re.S)
    for text in (capsys.readouterr().out, files["README.txt"].decode(), page):
        assert not re.search(r"digest|asked since|retraced|\bmarked\b", text, re.IGNORECASE)


def test_the_page_asks_for_nothing_but_its_pictures(data, tmp_path, capsys):
    target, _ = exported(data, tmp_path, capsys)
    page = unpacked(target.read_bytes())["index.html"].decode()
    assert "default-src 'none'" in page
    for found in re.findall(r"(?:src|href)=\"([^\"]*)\"", page):
        assert re.fullmatch(
            r"#turn-\d+|#[a-z]+|pictures/[0-9a-f]{64}\.jpg|rulebook-[a-z0-9-]+\.toml", found
        ), found
    assert not re.findall(r" on\w+=", page)
    assert not re.findall(r"https?://|url\(|@import", page)


def test_a_name_cannot_break_out_of_the_page(tmp_path, capsys):
    evil = '</title><script>alert("x")</script>'
    fill(tmp_path / "table", turns=2, names={"left": evil, "right": "& <b>"})
    target, _ = exported(tmp_path / "table", tmp_path, capsys)
    page = unpacked(target.read_bytes())["index.html"].decode()
    assert page.count("<script>") == 1
    assert "&lt;script&gt;" in page


@pytest.mark.browser
@pytest.mark.everyday
def test_the_page_works_from_a_folder_with_the_keyboard_alone(data, driver, tmp_path, capsys):
    from selenium.webdriver.common.keys import Keys

    target, _ = exported(data, tmp_path, capsys)
    with zipfile.ZipFile(target) as archive:
        archive.extractall(tmp_path / "unpacked")
    driver.get((tmp_path / "unpacked" / "index.html").as_uri())

    def chosen() -> list[int]:
        return driver.execute_script(
            "return [...document.querySelectorAll('#turn-7 input')].map((i) => +i.checked)"
        )

    driver.find_element("css selector", "#turns a[href='#turn-7']").send_keys(Keys.ENTER)
    assert driver.current_url.endswith("#turn-7")
    assert chosen() == [0, 1, 0]
    picked = driver.find_element("css selector", "#turn-7 input:checked")
    picked.send_keys(Keys.ARROW_RIGHT)
    assert chosen() == [0, 0, 1]
    shown = "getComputedStyle(one).display === 'block'"
    assert driver.execute_script(
        f"return [...document.querySelectorAll('#turn-7 .frame')].map((one) => {shown})"
    ) == [False, False, True]
    assert [line for line in driver.get_log("browser") if line["level"] == "SEVERE"] == []
    # Without its pictures it says what to do.
    shutil.rmtree(tmp_path / "unpacked" / "pictures")
    driver.refresh()
    notice = driver.find_element("id", "absent")
    assert until(lambda: "Unpack the whole bundle" in notice.text)
