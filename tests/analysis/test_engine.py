"""An engine is a child process; what it does wrong is one clear line."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from analysis.engine import EngineError, ask_engine

ADAPTER = Path(__file__).parents[2] / "examples" / "engine_magpie.py"
PLAYS = """
import sys
position = sys.stdin.read()
print('{"engine": "Tried 1.0"}')
print('{"kind": "play", "position": "8D", "word": "TRY", "equity": 12.5, "win": 0.6}')
print('{"kind": "exchange", "tiles": "QV", "equity": -1}')
print('{"kind": "pass"}')
"""


@pytest.fixture
def engine(tmp_path: Path):
    def made(text: str) -> list[str]:
        program = tmp_path / "engine.py"
        program.write_text(text)
        return [sys.executable, str(program)]

    return made


def test_the_plays_come_in_the_engines_order_under_its_name(engine):
    found = ask_engine(engine(PLAYS), "15/15 / 0/0 0", 60)
    assert found is not None
    assert found.engine == "Tried 1.0"
    assert [play.kind for play in found.plays] == ["play", "exchange", "pass"]
    assert (found.plays[0].equity, found.plays[0].win) == (12.5, 0.6)
    assert found.as_json()["plays"][2]["equity"] is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import sys; sys.exit(3)", "status 3"),
        ("print('bestmove 8D TRY')", "line 1 of its answer is no JSON"),
        ("print('[1]')", "no JSON object"),
        ('print(\'{"kind": "dance"}\')', "kind is none of"),
        ('print(\'{"equity": "much"}\')', "are numbers"),
        ("print('{\"equity\": NaN}')", "are numbers"),
        ("print('{\"word\": 3}')", "short texts"),
        ("print('[' * 100_000)", "is no JSON"),
        ("print('{\"equity\": 1' + '0' * 400 + '}')", "are numbers"),
        ('print(\'{"word": "\\\\ud800"}\')', "short texts"),
        ("", "gave no play"),
        ("import os; os.kill(os.getpid(), 9)", "status -9"),
        ("while True: print('x' * 1000)", "writes too much"),
    ],
)
def test_what_an_engine_does_wrong_is_one_line(engine, text, why):
    with pytest.raises(EngineError, match=why) as met:
        ask_engine(engine(text), "cgp", 20)
    assert "\n" not in str(met.value)
    assert str(met.value).startswith("engine ")


def test_an_engine_that_takes_too_long_is_ended(engine):
    with pytest.raises(EngineError, match=r"no answer within 0\.3 s"):
        ask_engine(engine("import time; time.sleep(600)"), "cgp", 0.3)


def test_a_position_that_is_superseded_ends_its_engine(engine):
    began = time.monotonic()
    sleeping = engine("import time; time.sleep(600)")
    assert ask_engine(sleeping, "cgp", 300, lambda: True) is None
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("most_s", [0.5, 300])
def test_what_an_engine_started_ends_with_it(tmp_path, most_s):
    """A shell waits for a program that has its output; so does the adapter for MAGPIE."""
    noted = tmp_path / "pid"
    magpie = tmp_path / "magpie"
    magpie.write_text(
        f"#!/bin/sh\necho $$ > {noted}.new; mv {noted}.new {noted}; sleep 600; true\n"
    )
    magpie.chmod(0o755)
    for command in (["sh", "-c", f"{magpie}; true"], [sys.executable, str(ADAPTER), str(magpie)]):
        noted.unlink(missing_ok=True)
        if most_s > 1:
            assert ask_engine(command, "cgp", most_s, noted.exists) is None
        else:
            with pytest.raises(EngineError, match="no answer within"):
                ask_engine(command, "cgp", most_s)
        until = time.monotonic() + 60
        while noted.exists() and alive(int(noted.read_text())):
            assert time.monotonic() < until


def alive(pid: int) -> bool:
    """True if a process runs; one that nobody has waited for is over."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_child_in_a_session_of_its_own_keeps_nobody_waiting(engine):
    text = "import subprocess; subprocess.Popen(['sleep', '20'], start_new_session=True)"
    with pytest.raises(EngineError, match="no answer within"):
        ask_engine(engine(text), "cgp", 1)


def test_an_engine_that_is_not_there_is_named():
    with pytest.raises(EngineError, match=r"cannot be started .*null byte") as met:
        ask_engine(["a\0b"], "cgp", 5)
    assert "\0" not in str(met.value)
    with pytest.raises(EngineError, match="engine 'nobody': cannot be started"):
        ask_engine(["/nowhere/nobody"], "cgp", 5)


MAGPIE = """#!{python}
import sys
assert sys.argv[1:3] == ["set", "-mode"] and sys.argv[3] == "sync", sys.argv
assert sys.argv[-2:] == ["-lex", "NWL23"], sys.argv
given = sys.stdin.read()
assert "\\ncgp 15/15 AQUVZ/ 0/0 0\\n" in given, given
print("magpie> 1:  8D QU(I)z AV 48 40.10 ")
print("2:  8H ZA     QUV 22 25.00 ")
print("3:  (exch QV) AUZ 0  1.90  ")
print()
print("Showing 3 of 3 plays")
for command in given.count("simulate") * [0]:
    print("1: 8H ZA     QUV   22 - 61.25 0.9120 27.50 1.2010 25.00    400 30.11 12.00 1.50")
    print("2: 8D QU(I)z AV    48 - 58.00 1.1000 41.00 0.6300 40.10    380 31.00 11.00 2.00")
    print("3: D8 RETAINS      70 X 57.10 1.1000 39.00 0.6300 71.10    300 31.00 11.00 2.00")
    print("4: (exch QV) AUZ   0  - 40.50 1.0000 -3.25 0.4400 1.90     310 29.00 10.00 2.50")
    print("5: pass      AQUVZ 0  - 21.00 1.0000 -20.5 0.4400 -1000.00 90  29.00 10.00 2.50")
    print("Showing 5 of 5 plays")
    print("Status: Finished (time limit exceeded)")
"""


def test_the_adapter_translates_what_magpie_writes(tmp_path):
    """The rows are in the form that MAGPIE's source gives; none was recorded from a run.

    src/str/sim_string.c of jvc56/MAGPIE (commit 025cbf46), src/str/move_string.c (01a8e704), with
    ``-hr false``.
    """
    magpie = tmp_path / "magpie"
    magpie.write_text(MAGPIE.format(python=sys.executable))
    magpie.chmod(0o755)
    command = [sys.executable, str(ADAPTER), str(magpie)]
    found = ask_engine(command, "15/15 AQUVZ/ 0/0 0 lex NWL23; ld english;", 60)
    assert found is not None
    assert found.engine == "MAGPIE"
    first, second, third, fourth, fifth = found.plays
    assert (first.position, first.word, first.win, first.equity) == ("8H", "ZA", 0.6125, 27.5)
    assert (second.position, second.word, second.win) == ("8D", "QU.z", 0.58)
    assert (third.position, third.word, third.equity) == ("D8", "RETAINS", 39.0)
    assert (fourth.kind, fourth.tiles, fourth.equity) == ("exchange", "QV", -3.25)
    assert (fifth.kind, fifth.win) == ("pass", 0.21)
    magpie.write_text(magpie.read_text().replace('count("simulate")', 'count("nothing")'))
    static = ask_engine(command, "15/15 AQUVZ/ 0/0 0 lex NWL23;", 60)
    assert [(one.word, one.win, one.equity) for one in static.plays] == [
        ("QU.z", None, 40.1), ("ZA", None, 25.0), ("", None, 1.9),
    ]  # fmt: skip
