"""onnxruntime reads weights, and does nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOAD = (
    "from models import weights; from vision.classifier import open_session; "
    "open_session(weights.path('tiles.onnx'))"
)


@pytest.mark.parametrize("home", ["a folder", "none"])
def test_loading_weights_says_nothing_and_leaves_nothing_behind(tmp_path, home):
    """Not a line on stderr without a home folder, and no identifier of the machine within one."""
    folder = str(tmp_path) if home == "a folder" else "/proc/nobody"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ORT_"))}
    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        cwd=ROOT,
        env={**kept, "HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
