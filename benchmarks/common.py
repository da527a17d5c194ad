"""Shared parts of several benchmarks: machine, processor time, memory, spreads, a replay."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # a script's own folder is there, and its repository is not


def machine() -> str:
    """The processor, its cores and the load, in a line."""
    name = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith(("model name", "Model")):
            name = line.partition(":")[2].strip()
            break
    return f"{name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def memory_mb(process: int | str = "self") -> float:
    """The resident memory of a process, by its number, in megabytes."""
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def processor_s(process: int) -> float:
    """The processor time that a process has had, in seconds. Raises ``ProcessLookupError``."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text("ascii")
    except FileNotFoundError as error:
        raise ProcessLookupError from error
    user, system = stat.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def percentile(values: Sequence[float], share: float) -> float:
    """The value that a share of the values does not exceed; NaN of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


def spread(ms: Sequence[float]) -> str:
    """Milliseconds in short."""
    median, worst = percentile(ms, 0.5), percentile(ms, 0.99)
    return f"median {median:.3g} ms, 99% {worst:.3g} ms, slowest {max(ms):.3g} ms"


def replayed(film: Path, out: Path, checkout: Path = ROOT) -> dict[str, Any]:
    """The document that a replay of a recording by a checkout prints; the log goes to ``out``."""
    command = [sys.executable, "-m", "table.cli", "replay", str(film), "--json", "--out", str(out)]
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=checkout, env=environment
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document
