"""What the events give for the manifest's statements."""

from typing import Any

from .chain import Event
from .problems import Bad
from .seals import sha256


def linked_pictures(events: list[Event]) -> tuple[list[tuple[int, str, str]], set[str]]:
    """Which event links which picture as what; and those that were deleted by rule."""
    linked: list[tuple[int, str, str]] = []
    deleted: set[str] = set()
    for seq, _, _, payload in events:
        kind, frames, pictures = payload["type"], payload.get("frames"), payload.get("pictures")
        if kind in ("TurnSeen", "TilesChanged", "BoardSeen") and isinstance(frames, dict):
            linked += [(seq, *one) for one in sorted(frames.items()) if isinstance(one[1], str)]
        elif kind == "PicturesKept" and isinstance(pictures, list):
            found = [one for one in pictures if isinstance(one, dict)]
            linked += [
                (seq, str(one.get("role")), one["sha256"])
                for one in found
                if isinstance(one.get("sha256"), str)
            ]
        elif kind == "PicturesDeleted" and isinstance(pictures, list):
            deleted.update(sha for sha in pictures if isinstance(sha, str))
    return linked, deleted


def names_given(events: list[Event], side: str) -> list[Any]:
    """Every name that the records give to the player of a side, whether it held or not."""
    naming = [one for *_, one in events if one["type"] in ("GameStarted", "PlayersNamed")]
    players = [one.get("players") for one in naming]
    return [one.get(side) for one in players if isinstance(one, dict)]


def statements(
    manifest: dict[str, Any], events: list[Event], files: dict[str, memoryview]
) -> tuple[dict[str, Any], list[str]]:
    """Return what the records give for the manifest's statements, and the files due."""
    linked, deleted = linked_pictures(events)
    links: dict[str, list[str]] = {}
    for seq, role, sha in linked:
        name = f"pictures/{sha}.jpg"
        if name in files:
            if sha256(files[name]) != sha:
                raise Bad(name, f"is not the picture that event {seq} links")
            links.setdefault(sha, []).append(f"{role} of event {seq}")
        elif sha not in deleted:
            raise Bad(name, f"is linked by event {seq} and missing")
    described = [payload for *_, payload in events if payload["type"] == "TableDescribed"][:1]
    names = ["README.txt", "index.html", "events.jsonl", "chain.txt"]
    if manifest["version"] > 1:
        names += ["verify_bundle.py", *["edges.csv"] * ("edges.csv" in files)]
    if manifest["game"] is not None:
        start = events[0][3]
        names += [f"rulebook-{start.get('rulebook')}.toml", f"tiles-{start.get('tile_set')}.toml"]
        names += ["game.gcg"] if "game.gcg" in files else []
    names += [f"pictures/{sha}.jpg" for sha in sorted(links)]
    due: dict[str, Any] = {
        "keys": sorted({key for _, _, key, _ in events} | {manifest["key"]}),
        "recorded_with": None,
        "pictures": links,
        "lost": [],  # as any would have been found missing above
    }
    for payload in described:
        due["recorded_with"] = {n: payload.get(n) for n in ("software", "files", "settings")}
    return due, names


def scores(game: dict[str, Any] | None) -> str:
    """The stated result, whose sums are checked."""
    if game is None:
        return "no turns and scores are stated"
    for side, score in game["scores"].items():
        lines = [turn["score"] for turn in game["turns"] if turn["side"] == side]
        lines += [line["points"] for line in game["adjustments"] if line["side"] == side]
        if sum(lines) != score:
            raise Bad("scores", f"{side} has {score}, the turns and adjustments give {sum(lines)}")
    stated = ", ".join(f"{game['players'][side]} {game['scores'][side]}" for side in game["scores"])
    return f"stated, and not replayed here: {stated}"
