"""A scene collection for OBS Studio: its own JSON file, with a browser source for each part."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final

from dashboard.show.graphics import CANVAS, Place

Parts = Mapping[str, tuple[str, int, int]]

NAME: Final = "tilewatch"


def scene_collection(
    address: Callable[[str], str], places: Mapping[str, Place], parts: Parts
) -> dict[str, Any]:
    """Return the collection, to be imported by Scene Collection › Import.

    ``address`` returns the whole address of a part. There are three scenes: the whole scene, the
    show alone, and every part at its place, hidden.
    """
    sources = {part: _browser(part, address(part), parts[part]) for part in parts}
    scenes = [
        _scene("Board and camera", [_item(sources["scene"], 1), _item(sources["show"], 2)]),
        _scene("Show over a camera", [_item(sources["show"], 1)]),
        _scene(
            "Single parts",
            [
                _item(sources[place.part], number, place, visible=False)
                for number, place in enumerate(places.values(), start=1)
            ],
        ),
    ]
    return {
        "name": NAME,
        "current_scene": scenes[0]["name"],
        "current_program_scene": scenes[0]["name"],
        "scene_order": [{"name": scene["name"]} for scene in scenes],
        "sources": [*sources.values(), *scenes],
        "groups": [],
        "transitions": [],
        "resolution": {"x": CANVAS[0], "y": CANVAS[1]},
    }


def _browser(part: str, url: str, about: tuple[str, int, int]) -> dict[str, Any]:
    _, width, height = about
    settings = {"url": url, "width": width, "height": height, "shutdown": False}
    return _source(f"tilewatch {part}", "browser_source", settings)


def _scene(name: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    settings = {"items": items, "id_counter": len(items), "custom_size": False}
    return _source(name, "scene", settings)


def _source(name: str, kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "id": kind,
        "versioned_id": kind,
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}:{name}")),
        "settings": settings,
        "enabled": True,
        "mixers": 0,
    }


def _item(
    source: Mapping[str, Any], number: int, place: Place | None = None, *, visible: bool = True
) -> dict[str, Any]:
    at = {"x": 0.0, "y": 0.0} if place is None else {"x": float(place.left), "y": float(place.top)}
    return {
        "name": source["name"],
        "source_uuid": source["uuid"],
        "id": number,
        "visible": visible,
        "locked": False,
        "pos": at,
        "scale": {"x": 1.0, "y": 1.0},
        "align": 5,  # left and top
        "bounds_type": 0,
    }
