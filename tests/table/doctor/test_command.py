"""The command that has all checks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from record.log.event_log import EventLog
from table.cli import main
from table.config import Camera, Serve, TableConfig
from table.doctor.run import at_work, checked

ROOT = Path(__file__).resolve().parents[3]


def test_whether_a_table_is_at_work_there(tmp_path):
    assert not at_work(tmp_path)
    with EventLog(tmp_path / "tilewatch.db"):
        assert at_work(tmp_path)
    assert not at_work(tmp_path)


def test_all_checks_of_a_simulated_table(tmp_path):
    config = TableConfig(data=tmp_path, serve=Serve(port=0), camera=Camera(kind="simulated"))
    found = list(checked(config))
    names = [check.name for check in found]
    assert names[:3] == ["configuration", "camera", "buttons"]
    assert {"reader", "data folder", "space", "card", "log", "port", "clocks", "time"} <= set(names)
    assert all(check.as_json()["name"] == check.name for check in found)


def test_the_command_says_of_each_whether_it_will_do(tmp_path, capsys):
    (tmp_path / "table.toml").write_text('word_list = "none.txt"\n[serve]\nport = 0\n')
    arguments = ["doctor", "--config", str(tmp_path / "table.toml"), "--data", str(tmp_path / "d")]
    assert main(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith(("ok  ", "NO  ", "?   ")) for line in lines[:-1])
    assert lines[0].startswith("NO  configuration:")
    assert "none.txt" in lines[0]
    assert main([*arguments, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    assert document["checks"][0]["remedy"]


def test_a_configuration_that_cannot_be_used_hides_nothing_else(tmp_path, capsys):
    (tmp_path / "table.toml").write_text("nmae = 1\n")
    assert main(["doctor", "--config", str(tmp_path / "table.toml")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "unknown key 'nmae'" in lines[0]
    assert any(line.startswith("ok  clocks") for line in lines)


def test_an_ordinary_user_with_no_rights_gets_lines_and_no_traceback(tmp_path):
    """Not even the right to read this program, where root has put it into a folder of its own.

    A folder within one in which this user may not look is not taken for a missing one.
    """
    shut = tmp_path / "shut"
    shut.mkdir(mode=0)
    become = "os.setgroups([]); os.setgid(65534); os.setuid(65534); " if os.geteuid() == 0 else ""
    # Once with all rights before, so that all modules are loaded: nobody may not read Python here.
    code = (
        "import os, sys; from table.cli import main; "
        f"main(['doctor', '--json', '--data', {str(tmp_path)!r}]); print(); "
        f"{become}sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor", "--data", str(shut / "data")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=250,
    )
    shut.chmod(0o700)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1, done
    (checked,) = (line for line in done.stdout.splitlines() if "  data folder" in line)
    assert checked.startswith("NO"), done
    assert "Permission denied" in checked
