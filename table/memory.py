"""Gives back to the system what the process has freed.

The C library keeps freed memory for the next caller. A table frees pictures of several megabytes
in several threads, between small things that stay, and what is kept so grows game by game.
"""

from __future__ import annotations

import ctypes


def give_back_freed() -> bool:
    """Return freed memory to the system; return False if the C library has no way to."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim is not None and bool(trim(0))
