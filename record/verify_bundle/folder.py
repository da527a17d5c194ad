"""A bundle that was unpacked into a folder."""

import os
import re
import zlib

from .entries import MAX_FILE, MAX_TEXT, directory, heads
from .problems import Unusable
from .strict_json import loads


def packed(folder: str) -> bytes:
    """The bundle as it was before somebody unpacked it into ``folder``."""
    try:
        with open(f"{folder}/manifest.json", "rb") as manifest:
            text = manifest.read(MAX_TEXT + 1)
        names = ["manifest.json", "manifest.sig", *(one["name"] for one in loads(text)["files"])]
    except (OSError, ValueError, TypeError, KeyError):
        raise Unusable("a folder without the manifest of a bundle") from None
    bundle, central = b"", []
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(r"(pictures/)?[\w-]+\.\w+", name, re.A):
            raise Unusable("a folder that is no bundle: its manifest lists odd names")
        path = f"{folder}/{name}"
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            content = file.read(MAX_FILE)
        head, entry = heads(name.encode(), zlib.crc32(content), len(content), len(bundle))
        bundle += head + name.encode() + content
        central.append(entry)
    return bundle + directory(central, len(bundle))
