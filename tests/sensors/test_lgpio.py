"""The buttons through gpiozero's lgpio pins, as on a Raspberry Pi, over a pretended kernel.

Everything above the kernel is real: liblgpio with its thread that sorts edges, its pipe, gpiozero's
pins and ``sensors.gpio``. It runs where lgpio is installed, as in ``deploy/try-libcamera.sh``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sensors.gpio import GpioOptions
from tests.machine import PATIENCE_S

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SEARCHED = os.pathsep.join([str(ROOT), *(path for path in sys.path if path)])

pytestmark = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("lgpio", "gpiozero")),
    reason="gpiozero and lgpio are not both installed",
)


def test_each_press_is_one_with_its_kernels_stamp_and_every_edge_is_logged(tmp_path):
    """In a process in which each button is pressed once; its pins are pulled up and given back."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    library = tmp_path / "gpiochip.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, HERE / "gpiochip.c"], check=True)
    (tmp_path / "levels").write_bytes(b"\1" * 54)
    for line in GpioOptions().pins.values():
        os.mkfifo(tmp_path / str(line))
    more = {"LD_PRELOAD": str(library), "GPIOCHIP": str(tmp_path), "PYTHONPATH": SEARCHED}
    done = subprocess.run(
        [sys.executable, HERE / "lgpio_contacts.py"],
        env=os.environ | more,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["exact"]
    assert [name for name, _ in result["made"]] == ["left", "right", "neutral"]
    assert result["presses"] == result["made"]
    assert set(result["pulls"].values()) == {"up"}
    assert not any(result["closed"].values())  # open contacts are open
    assert result["again"]
    edges = (tmp_path / "edges.csv").read_text().splitlines()
    assert len(edges) == 3 * 6
    stamps = [int(line.split(",")[0]) for line in edges]
    assert stamps == sorted(set(stamps))


@pytest.mark.skipif(any(Path("/dev").glob("gpiochip*")), reason="this machine has pins")
def test_a_machine_without_pins_is_one_line(tmp_path):
    """In a process of its own: lgpio, once it is imported, has a thread until that ends."""
    code = "from sensors.gpio import *; GpioButtons(GpioOptions())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": SEARCHED},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    last = done.stderr.splitlines()[-1]
    assert "can't be used" in last
    assert "check the wiring" in last
    assert done.returncode == 1
