"""axe-core over a page in the browser: what keeps people with some disability from using it."""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any


@cache
def _source() -> str:
    newer = os.environ.get("AXE_CORE")  # axe.min.js of a newer axe-core than pip has
    if newer:
        return Path(newer).read_text("utf-8")
    return files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")


def violations(driver: Any) -> list[str]:
    """What axe-core finds on the page shown, one line for each element; empty when all is well.

    The script is put in by the driver, from beside the page's own content security policy.
    """
    driver.execute_script(_source())
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations'], iframes: false})"
        ".then((found) => done(found.violations), (error) => done(String(error)));"
    )
    assert isinstance(found, list), found
    return [
        f"{each['impact']}: {each['id']}: {node['target']}: {node.get('failureSummary', '')}"
        for each in found
        for node in each["nodes"]
    ]
