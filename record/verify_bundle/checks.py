"""All checks of a bundle, in the order of docs/evidence.md."""

import re
from typing import Any

from .chain import Event, chain
from .entries import TEXTS, archive
from .forms import MANIFEST, fits
from .problems import Bad, Unusable
from .seals import BASE32, digest, fingerprint, is_signed, sha256
from .statements import names_given, scores, statements
from .strict_json import loads, same

RULES = r"(rulebook|tiles)-[a-z0-9-]+\.toml"


def read_manifest(files: dict[str, memoryview], amiss: list[Bad]) -> dict[str, Any]:
    """The manifest, in its form. Raises Bad, or Unusable for a version unknown here."""
    if "manifest.json" not in files:
        raise amiss[0] if amiss else Bad("manifest.json", "is not in the bundle")
    try:
        manifest = loads(bytes(files["manifest.json"]))
    except ValueError as error:
        raise Bad("manifest.json", f"is not as it was written ({error})") from None
    whose = manifest if isinstance(manifest, dict) else {}
    known = fits(whose.get("format"), MANIFEST["format"]) and fits(whose.get("version"), int)
    if known and whose["version"] not in (1, 2):
        if amiss:
            raise amiss[0]
        raise Unusable(f"a bundle of version {whose['version']}, not 1 or 2")
    form = {
        name: one
        for name, one in MANIFEST.items()
        if known and (whose["version"] > 1 or name != "exports")
    }
    if not fits(manifest, form) or (whose["game"] is None) == (whose["unreplayed"] is None):
        raise Bad("manifest.json", "has not the form that docs/evidence.md gives")
    return whose


def plain_keys(keys: list[str]) -> list[str]:
    """Public keys and fingerprints as somebody typed them, without what is there for the eye."""
    keys = [re.sub(r"[\s-]", "", key.lower()) for key in keys]
    if any(not re.fullmatch("[0-9a-f]{64}|[0-9a-f]{32}", key) for key in keys):
        raise Unusable("--key: a public key has 64 hexadecimal digits, a fingerprint 32")
    return keys


def plain_digest(written: str) -> str:
    """A result slip's digest as somebody copied it, in the form that :func:`digest` gives."""
    plain = re.sub(r"[\s-]", "", written.upper()).translate(str.maketrans("ILO", "110"))
    if not re.fullmatch(f"[{BASE32}]{{12}}", plain):
        raise Unusable("--digest: a digest has twelve letters and digits")
    return "-".join(re.findall("....", plain))


def check_files(files: dict[str, memoryview], manifest: dict[str, Any], amiss: list[Bad]) -> None:
    """The files are those that the manifest lists, in its order, each as it states."""
    due = ["manifest.json", "manifest.sig", *(one["name"] for one in manifest["files"])]
    if list(files) != due:
        odd = sorted(set(files) ^ set(due)) or [a for a, b in zip(files, due) if a != b] or due
        raise amiss[-1] if amiss else Bad(odd[0], "is missing, was added or is out of place")
    for one in manifest["files"]:
        if sha256(files[one["name"]]) != one["sha256"] or len(files[one["name"]]) != one["size"]:
            raise Bad(one["name"], "is not the file that the manifest lists")
    if amiss:
        raise amiss[0]


def check_statements(
    files: dict[str, memoryview], manifest: dict[str, Any], events: list[Event]
) -> None:
    """What the manifest states is what the events give."""
    given, names = statements(manifest, events, files)
    for name in (one for one in names if one.endswith(".toml")):
        if not re.fullmatch(RULES, name):
            raise Bad(name, "is no name of rules or tiles")
    due = [one["name"] for one in manifest["files"]]
    for name in sorted(set(names) ^ set(due)) or [a for a, b in zip(names, due) if a != b]:
        raise Bad(name, "is missing, is no file of such a bundle, or is out of place")
    for name, value in given.items():
        if not same(value, manifest[name]):
            raise Bad("manifest.json", f"{name} is not what the events give")
    digests = {seq: digest(own) for seq, own, *_ in events}
    for one in manifest.get("exports", ()):
        if digests.get(one["seq"]) != one["digest"]:
            raise Bad("manifest.json", f"an earlier bundle up to event {one['seq']} is not in it")
    for side, player in (manifest["game"] or {"players": {}})["players"].items():
        if player not in names_given(events, side):
            raise Bad("manifest.json", f"players: the events never name {side} so")


def place_of(written: str, events: list[Event]) -> str:
    """Where in the game the result slip's digest stands."""
    where = [n for n, (_, own, *_) in enumerate(events) if digest(own) == written]
    if not where:
        raise Bad("digest", f"no event of the bundle has the digest {written}")
    seq, after = events[where[0]][0], len(events) - where[0] - 1
    return f"; the slip's digest {written} is that of event {seq}, events that follow: {after}"


def check(data: bytes | memoryview, keys: list[str], written: str | None) -> str:
    """Return the results for a sound bundle, in a line. Raises Bad, or Unusable."""
    keys = plain_keys(keys)
    written = None if written is None else plain_digest(written)
    files, amiss = archive(memoryview(data))
    manifest = read_manifest(files, amiss)
    for name in TEXTS:
        if name not in files:
            raise amiss[0] if amiss else Bad(name, "is not in the bundle")
    key, signature = manifest["key"], bytes(files["manifest.sig"][:130]).decode("ascii", "replace")
    text = sha256(files["manifest.json"])
    if signature[-1:] != "\n" or not is_signed("bundle", key, text, signature[:-1]):
        raise Bad("manifest.json", "its signature is not that of the key that it names")
    keys = keys or [key]  # without any given, one and the same must have signed everything
    if key not in keys and fingerprint(key).replace("-", "") not in keys:
        raise Bad("manifest.json", f"signed with another key, {fingerprint(key)}")
    events = chain(files, manifest, keys)
    last = digest(events[-1][1]) if events else ""
    if last != manifest["head"]["digest"]:
        raise Bad("manifest.json", f"states a digest that is not {last}, the last event's")
    check_files(files, manifest, amiss)
    check_statements(files, manifest, events)
    result = scores(manifest["game"])
    slip = "" if written is None else place_of(written, events)
    return (
        f"key {fingerprint(key)}, digest of the last event {last}, {len(events)} events, "
        f"{len(manifest['pictures'])} pictures{slip}; {result}"
    )
