"""The page of an evidence bundle: the whole story of a game in one HTML file.

It is opened from a folder by whatever browser there is, so it asks for nothing but the pictures
beside it, and its content security policy lets it ask for nothing else. It reads whole without a
script; the script only plays the pictures. It is made of the events, of the edges and of the sizes
of the pictures in the bundle alone, so that a check can make it anew and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

from game.events import SIDES
from game.jpeg import jpeg_size
from record.bundle.archive import picture_name
from record.bundle.page_assets import asset, policy
from record.bundle.readme import key_of_table
from record.raw_edges import RawEdge
from record.seals import digest
from record.story import Step, Story, tell
from record.story.turns import TurnStory
from record.story_html import game as parts
from record.story_html.pictures import PictureSource
from record.story_html.styles import story_css
from record.story_html.turn import turn_section

HEADER_BYTES = 2**18
"""So much of a picture is read for its size."""


def picture_source(heads: Mapping[str, Callable[[], bytes | memoryview]]) -> PictureSource:
    """The pictures beside the page; ``heads`` gives the first bytes of each by its SHA-256."""
    return PictureSource(
        lambda sha: picture_name(sha) if sha in heads else None,
        lambda sha: jpeg_size(heads[sha]()) if sha in heads else None,
    )


def page(
    steps: Sequence[Step], key: str, source: PictureSource, edges: Sequence[RawEdge] = ()
) -> bytes:
    """The page of a game."""
    story = tell(steps, edges)
    style, script = asset("bundle.css") + story_css(), asset("bundle.js")
    title = escape(" – ".join(story.state.players[side] for side in SIDES))
    turns = "".join(turn_section(story, one, source, _hop(one, story)) for one in story.turns)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}: the evidence of a game</title>
<style>{style}</style>
<script>{script}</script>
</head>
<body class="story">
<nav class="jump" aria-label="Parts"><ul><li><a href="#game">The game</a></li>
<li><a href="#incidents">Incidents ({len(story.incidents)})</a></li>
<li><a href="#turns">Turns ({len(story.turns)})</a></li><li><a href="#clock">Clocks</a></li>
<li><a href="#tiles">Tiles</a></li><li><a href="#check">Checking it</a></li></ul></nav>
<header id="game">
<h1>{title}</h1>
{parts.opening(story)}
<p class="absent" id="absent">Some pictures are not beside this page. Unpack the whole bundle into
a folder and open index.html there.</p>
</header>
<main>
<section id="incidents"><h2>Incidents</h2>
<p>Each leads to its turn. To print a dispute, open its turn from here and print: that turn alone is
printed.</p>{parts.incidents(story)}</section>
{parts.of_the_game(story)}
<section id="turns"><h2>Turns</h2>{parts.turn_list(story)}</section>
{turns}
<section id="clock"><h2>The clocks</h2>{parts.clock(story)}</section>
<section id="tiles"><h2>The tiles</h2>{parts.tiles(story)}</section>
<section id="limits"><h2>What is not shown here</h2>{parts.limits()}</section>
<section id="check" class="check"><h2>Checking it</h2>{_checking(story, key)}</section>
</main>
<footer><p>Turns are numbered as they are now; events by their place in the game. Times are UTC, and
seconds from a press are the table's own, measured at the contact.</p></footer>
</body>
</html>
""".encode()


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
<p>Key of the table <code>{key_of_table(key, last)}</code>, digest of the last event
<code>{digest(last.hash)}</code>. The key has to be the table's, as it was noted. A slip that was
signed earlier has the digest of an earlier event: <code>tilewatch verify --digest</code> finds it.
</p>"""
