"""Makes ultralytics importable where torchvision's compiled operators are missing.

A torchvision wheel built for another torch fails on import with ``operator torchvision::nms does
not exist``: its Python half describes two operators that its compiled half should have declared.
Training a classifier never calls them, so declaring them is enough.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)
_kept: list[Any] = []
"""A torch library lives as long as somebody holds it."""


def prepare() -> None:
    """Call before importing ultralytics. Does nothing where torchvision is whole."""
    import torch  # noqa: PLC0415

    try:
        import torchvision  # noqa: PLC0415
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
    else:
        return
    for name in [n for n in sys.modules if n == "torchvision" or n.startswith("torchvision.")]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for schema in _SCHEMAS:
        library.define(schema)
    _kept.append(library)
    import torchvision  # noqa: F401, PLC0415


def keep_memory() -> None:
    """Lets the C library keep big freed blocks; does nothing where there is no glibc.

    A quarter of a training step goes on mapping and unmapping them otherwise.
    """
    mmap_threshold, trim_threshold = -3, -1  # malloc.h
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(mmap_threshold, 1 << 30)
        libc.mallopt(trim_threshold, (1 << 31) - 1)
    except (OSError, AttributeError):
        return
