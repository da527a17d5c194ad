"""onnxruntime as this program uses it: it reads weights, and talks to nobody."""

from __future__ import annotations

import os
from types import ModuleType


def onnxruntime() -> ModuleType:
    """Import onnxruntime, which takes long, with its telemetry switched off.

    From 1.32 on it would otherwise write an identifier of the machine into the user's cache as it
    is imported, report to its maker, and print a warning wherever that folder cannot be written.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # noqa: PLC0415

    module: ModuleType = onnxruntime
    return module
