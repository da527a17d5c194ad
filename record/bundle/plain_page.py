"""The page of a bundle whose game cannot be replayed: its events as logged, and its pictures."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from html import escape

from record.bundle.archive import picture_name
from record.bundle.page_assets import asset, policy
from record.bundle.readme import key_of_table
from record.chain import LoggedEvent
from record.linked_pictures import linked_pictures
from record.seals import digest


def plain_page(
    events: Sequence[LoggedEvent], there: Mapping[str, object], why: str, key: str
) -> bytes:
    """The page; ``there`` has the pictures in the bundle, ``why`` is the reason in a line."""
    style = asset("bundle.css")
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(events[0].wall_ns // 10**9))
    links: dict[int, list[tuple[str, str]]] = {}
    for number, role, sha in linked_pictures(event.payload for event in events):
        if sha in there:
            links.setdefault(number, []).append((role, picture_name(sha)))
    rows = "".join(
        _event(event, links.get(number, [])) for number, event in enumerate(events, start=1)
    )
    title = f"{escape(events[0].game_id)}: the evidence of a game"
    of_table = key_of_table(key, events[-1])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(style, "")}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p class="result"><span>This game could not be replayed into turns and scores:
{escape(why)}.</span></p>
<p class="facts">{escape(began)} · Key of the table <code>{of_table}</code> · digest of the
last event <code>{digest(events[-1].hash)}</code></p>
</header>
<main>
<h2>Its events, as they were logged</h2>
{rows}
</main>
<footer><p>A page proves nothing by itself: whoever can change the bundle can change it.
<code>tilewatch verify</code> checks the bundle, and docs/evidence.md says how to do it without
tilewatch.</p></footer>
</body>
</html>
""".encode()


def _event(event: LoggedEvent, pictures: Sequence[tuple[str, str]]) -> str:
    when = time.strftime("%H:%M:%S", time.gmtime(event.wall_ns // 10**9))
    text = json.dumps(event.payload, ensure_ascii=False, indent=1)
    shown = "".join(f'<p><a href="{name}">{escape(role)}</a></p>' for role, name in pictures)
    return (
        f"<details><summary>{event.seq} · {when} · {escape(event.type)} · {escape(event.source)}"
        f"</summary><pre>{escape(text)}</pre>{shown}</details>\n"
    )
