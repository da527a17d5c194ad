"""Wherever a path can be named, a pipe, a device or a huge file is refused in one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .pathkit import CASES, named_paths

ROOT = Path(__file__).resolve().parents[2]


def test_every_place_where_a_path_can_be_named_is_tried():
    assert set(CASES) == named_paths()


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse"])
@pytest.mark.slow
def test_what_is_no_plain_file_is_refused_in_one_line(tmp_path, kind):
    done = subprocess.run(
        [sys.executable, "-m", "tests.table.commands.pathkit", str(tmp_path), kind],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for one in json.loads(done.stdout):
        assert "escaped" not in one, one
        if (
            one["argv"][0] == "doctor" and "--report" not in one["argv"]
        ):  # which reports what is wrong and goes on
            assert one["status"] == 1, one
            continue
        assert one["status"] == 2, one
        assert one["err"].splitlines()[-1].startswith("tilewatch: "), one
        assert "Traceback" not in one["err"], one
