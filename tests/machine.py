"""What tests need from whatever machine they run on: patience, ports, programs."""

from __future__ import annotations

import fcntl
import os
import pickle
import random
import shutil
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Made = TypeVar("Made")

PATIENCE_S = 60.0
"""For what comes at once on an idle machine: on a busy one only a fault takes longer."""

_RANDOM = random.SystemRandom()


def until(what: Callable[[], object], seconds: float = PATIENCE_S) -> bool:
    """Wait until something is so, and return True; fail when it does not come to pass."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(0.01)
    return True


def made_once(folders: pytest.TempPathFactory, name: str, make: Callable[[], Made]) -> Made:
    """What ``make`` returns, made by the first worker of a run that asks for it."""
    base = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    kept = base / f"{name}.pickle"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            kept.write_bytes(pickle.dumps(make()))
    return pickle.loads(kept.read_bytes())


def free_port() -> int:
    """A port of 127.0.0.1 that is free, and stays free until it is used.

    The kernel gives out ports from a range to whoever connects or binds to port 0: a port of that
    range that was let go of may be somebody else's a moment later. This one lies below it.
    """
    lowest = _lowest_given_out()
    while True:
        port = _RANDOM.randrange(lowest // 2, lowest)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def _lowest_given_out() -> int:
    try:
        text = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii")
    except OSError:
        return 32768
    return max(8192, int(text.split()[0]))


def speaks_ipv6() -> bool:
    """Whether a server may listen on ``::`` and hear IPv4 there too."""
    try:
        with socket.socket(socket.AF_INET6) as tried:
            tried.bind(("::", 0))
            return not tried.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
    except OSError:
        return False


def mosquitto() -> str | None:
    """The broker's program, which an ordinary user's PATH may leave out."""
    return shutil.which("mosquitto") or shutil.which(
        "mosquitto", path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
    )
