"""The files of a bundle that are derived: the page, the read-me, the verifier as one file.

The page is the whole account of a game in one HTML file. Any browser may open it from a folder, so
it loads nothing but the pictures beside it, and its content security policy allows nothing else. It
is complete without its script, which only plays the pictures. If the events give no game, a plain
page lists them. All files depend only on the events, the edges, the sizes of the bundle's pictures,
when the bundle was made and this program, so that a check can make them again and compare.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from typing import Final

from game.events import SIDES
from game.jpeg import jpeg_size
from record.bundle.archive import picture_name
from record.chain import LoggedEvent
from record.linked_pictures import linked_pictures
from record.raw_edges import RawEdge
from record.seals import digest, fingerprint
from record.story import Step, Story, tell
from record.story.turns import TurnStory
from record.story_html import game as parts
from record.story_html import story_css
from record.story_html.drawings import PictureSource
from record.story_html.turn import known, turn_section
from record.story_html.words import clock_of, date

HEADER_BYTES = 2**18
"""The first bytes of a picture that are read to find its width and height."""


MODULES: Final = (
    "strict_json",
    "seals",
    "opened_racks",
    "linked_pictures",
    "bundle/archive",
    "bundle/manifest",
    "verifier/chain",
    "verifier/report",
    "verifier/checks",
    "verifier/wording",
    "verifier/__main__",
)
"""The modules in joining order: each imports only from earlier ones."""


def picture_source(heads: Mapping[str, Callable[[], bytes | memoryview]]) -> PictureSource:
    """Return the source of the page's pictures; ``heads`` gives their first bytes by SHA-256."""
    return PictureSource(
        lambda sha: picture_name(sha) if sha in heads else None,
        lambda sha: jpeg_size(heads[sha]()) if sha in heads else None,
    )


def page(
    steps: Sequence[Step],
    key: str,
    source: PictureSource,
    edges: Sequence[RawEdge] = (),
    *,
    made_ns: int = 0,
) -> bytes:
    """Return the page of a game; ``made_ns`` is when its bundle is made, in ns since 1970."""
    story = tell(steps, edges)
    style, script = _asset("bundle.css") + story_css(), _asset("bundle.js")
    title = escape(" – ".join(story.state.players[side] for side in SIDES))
    turns = "".join(
        turn_section(story, one, source, _hop(one, story), known(story, one.entries, one))
        for one in story.turns
    )
    body = f"""<body class="story">
<nav class="jump" aria-label="Parts"><ul><li><a href="#game">The game</a></li>
<li><a href="#incidents">Incidents ({len(story.incidents)})</a></li>
<li><a href="#turns">Turns ({len(story.turns)})</a></li><li><a href="#clock">Clocks</a></li>
<li><a href="#tiles">Tiles</a></li><li><a href="#check">Checking it</a></li></ul></nav>
<header id="game">
<h1>{title}</h1>
{parts.opening(story)}
<p>{_made(made_ns, story.entries[-1].number)}; people entered {len(story.decisions)} of them.</p>
<p class="absent" id="absent">Some pictures are not beside this page. Unpack the whole bundle into
a folder and open index.html there.</p>
</header>
<main>
<section id="incidents"><h2>Incidents</h2>
<p>To print a dispute, open its turn from here and print: that turn alone is printed. The rules
with their numbers: <a href="rulebook-{story.state.rulebook.id}.toml">the rulebook's file</a>.</p>
{parts.incidents(story)}</section>
{parts.of_the_game(story)}
<section id="turns"><h2>Turns</h2>{parts.turn_list(story)}</section>
{turns}
<section id="clock"><h2>The clocks</h2>{parts.clock(story)}</section>
<section id="tiles"><h2>The tiles</h2>{parts.tiles(story)}</section>
<section id="limits"><h2>What is not shown here</h2>{parts.limits()}</section>
<section id="check" class="check"><h2>Checking it</h2>{_checking(story, key)}</section>
</main>
<footer><p>Turns are numbered as they are now; events by their place in the game; {clock_of(story)}.
Seconds from a press are the table's own, measured at the contact.</p></footer>
</body>"""
    return _document(f"{title}: the evidence of a game", body, style, script)


def _made(made_ns: int, events: int) -> str:
    """Return when a bundle was made, and of how many events."""
    return f"This bundle was made {date(made_ns)} and has {events} events"


def _hop(one: TurnStory, story: Story) -> str:
    near = [n for n in (one.number - 1, one.number + 1) if 1 <= n <= len(story.turns)]
    links = "".join(f'<a href="#turn-{n}">Turn {n}</a>' for n in near)
    return f'<p class="hop"><a href="#incidents">Incidents</a>{links}</p>'


def _checking(story: Story, key: str) -> str:
    last = story.entries[-1].logged
    return f"""<p>A page proves nothing by itself: whoever can change the bundle can change it.
<code>tilewatch verify</code> checks the bundle and makes this page anew to compare it;
<code>verify_bundle.py</code>, which is in the bundle, checks events, signatures and pictures with
nothing of tilewatch.</p>
<p>Key of the table <code>{_key_of_table(key, last)}</code>, check code of the last event
<code>{digest(last.hash)}</code>. The key has to be the table's, as it was noted. A slip that was
signed earlier has the check code of an earlier event, which <code>tilewatch verify --code</code>
finds.</p>"""


def plain_page(
    events: Sequence[LoggedEvent], there: Mapping[str, object], why: str, made: tuple[str, int]
) -> bytes:
    """Return a page that lists events which give no game, for the reason ``why``.

    ``there`` has the hashes of the pictures in the bundle, and ``made`` the key that signs it and
    when it is made, in ns since 1970.
    """
    style = _asset("bundle.css")
    links: dict[int, list[tuple[str, str]]] = {}
    for number, role, sha in linked_pictures(event.payload for event in events):
        if sha in there:
            links.setdefault(number, []).append((role, picture_name(sha)))
    rows = "".join(
        _event(event, links.get(number, [])) for number, event in enumerate(events, start=1)
    )
    title = f"{escape(events[0].game_id)}: the evidence of a game"
    of_table = _key_of_table(made[0], events[-1])
    body = f"""<body>
<header>
<h1>{title}</h1>
<p class="result"><span>This game could not be replayed into turns and scores:
{escape(why)}.</span></p>
<p class="facts">Begun {date(events[0].wall_ns)}. {_made(made[1], len(events))}. Key of the table
<code>{of_table}</code>, check code of the last event <code>{digest(events[-1].hash)}</code></p>
</header>
<main>
<h2>Its events, as they were logged</h2>
{rows}
</main>
<footer><p>A page proves nothing by itself: whoever can change the bundle can change it.
<code>tilewatch verify</code> checks the bundle, and docs/evidence.md says how to do it without
tilewatch.</p></footer>
</body>"""
    return _document(title, body, style)


def _event(event: LoggedEvent, pictures: Sequence[tuple[str, str]]) -> str:
    when = time.strftime("%H:%M:%S", time.gmtime(event.wall_ns // 10**9))
    text = json.dumps(event.payload, ensure_ascii=False, indent=1)
    shown = "".join(f'<p><a href="{name}">{escape(role)}</a></p>' for role, name in pictures)
    return (
        f"<details><summary>{event.seq} · {when} · {escape(event.type)} · {escape(event.source)}"
        f"</summary><pre>{escape(text)}</pre>{shown}</details>\n"
    )


_README = """\
This is the evidence of one game of Scrabble, as a tilewatch table recorded it.

To look at it:  unpack the whole bundle and open index.html in a browser.
To check it:    tilewatch verify <the bundle>
                or, with nothing but Python and its cryptography package,
                python verify_bundle.py <the bundle>   (it is in here)
                <the bundle> is the file as it was given to you, or the folder
                into which it was unpacked.

{made}
Key of the table:             {key}
Check code of the last event: {digest}

The key has to be the one that was noted for the table. The check code on a result slip is that of
the event with which the game was signed: where events followed it (pictures, a ruling), the last
event lawfully has another. Let the check find the slip's:

                tilewatch verify <the bundle> --key <the key noted> --code <the slip's>

It says which event has it, and what followed. docs/evidence.md of tilewatch says what every file
here is, how each is checked, and what such a check cannot show.
"""


def readme(key: str, last: LoggedEvent, made_ns: int) -> bytes:
    """Return ``README.txt``, with the check code to compare with the result slip."""
    made = f"{_made(made_ns, last.number)}."
    return _README.format(
        made=made, key=_key_of_table(key, last), digest=digest(last.hash)
    ).encode()


def _key_of_table(key: str, last: LoggedEvent) -> str:
    """Return the fingerprint of the key that signed a game's last event.

    If another key signed the bundle, such as a hub's with a copy of the log, add its fingerprint.
    """
    if key == last.key:
        return fingerprint(key)
    return f"{fingerprint(last.key)} (the bundle is signed with {fingerprint(key)})"


def _asset(name: str) -> str:
    """Return a file of ``assets``."""
    return resources.files("record.bundle").joinpath("assets", name).read_text("utf-8")


def _document(title: str, body: str, style: str, script: str = "") -> bytes:
    """Return a page whose content security policy allows this style, this script and pictures."""
    scripts = f"script-src {_source(script)}; " if script else ""
    policy = (
        "default-src 'none'; img-src 'self' file:; "
        f"style-src {_source(style)}; {scripts}base-uri 'none'; form-action 'none'"
    )
    element = f"<script>{script}</script>\n" if script else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
{element}</head>
{body}
</html>
""".encode()


def _source(text: str) -> str:
    sha = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{sha}'"


@cache
def verifier_text() -> bytes:
    """Return the verifier as one file, which every bundle carries: ``verify_bundle.py``.

    Its modules import nothing of tilewatch but each other. Joined below each other, with those
    imports left out, they run anywhere; ``python -m record.verifier`` runs them in a checkout.
    """
    folder = resources.files("record")
    imports: dict[str, set[str]] = {}
    sections = []
    usage = ""
    for module in MODULES:
        text = folder.joinpath(f"{module}.py").read_text("utf-8")
        docstring, *rest = ast.parse(text).body
        above = [one for one in rest if isinstance(one, (ast.Import, ast.ImportFrom))]
        for one in above:
            origin = one.module or "" if isinstance(one, ast.ImportFrom) else ""
            imports.setdefault(origin, set()).update(alias.name for alias in one.names)
        lines = text.splitlines(keepends=True)
        usage = "".join(lines[: docstring.end_lineno])  # the last module's heads the whole
        code = "".join(lines[max(one.end_lineno or 0 for one in above) :]).strip()
        sections.append(f"# {lines[0].strip(chr(34) + chr(10))}\n{code}\n")
    future = imports.pop("__future__")
    head = ["#!/usr/bin/env python3", usage, f"from __future__ import {', '.join(future)}", ""]
    head += [f"import {name}" for name in sorted(imports.pop(""))]
    head += [
        f"from {origin} import {', '.join(sorted(names))}"
        for origin, names in sorted(imports.items())
        if not origin.startswith("record")
    ]
    return "\n\n".join(["\n".join([*head, ""]), *sections]).encode()
