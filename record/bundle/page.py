"""The page of an evidence bundle: the game turn by turn, with its pictures, in one HTML file.

It is opened from a folder by whatever browser there is, so it asks for nothing but the pictures
beside it, and its content security policy lets it ask for nothing else. Everything is in the HTML;
the script only shows one turn at a time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from game.board import SIZE, Board, Premium, Square, is_blank, is_tile, premium
from game.events import (
    SIDES,
    BoardSeen,
    Event,
    Picture,
    PicturesKept,
    TilesChanged,
    TurnSeen,
    to_payload,
)
from game.flags import label
from game.referee.turn import Turn
from game.rulebooks.announcing import in_words
from game.state.fold import GameState
from game.state.numbering import made_of_events, turns_named
from record.bundle.archive import picture_name
from record.bundle.page_assets import asset, policy
from record.chain import LoggedEvent, canonical_json
from record.signing import digest, fingerprint

_ROLES: Final = {
    "before": "before the press",
    "at": "at the press",
    "after": "after the press",
    "read": "what was read",
    "around": "around the press",
}

_PREMIUMS: Final = {
    Premium.TWS: "tws",
    Premium.DWS: "dws",
    Premium.TLS: "tls",
    Premium.DLS: "dls",
}


def page(state: GameState, game: Sequence[Event], events: Sequence[LoggedEvent], key: str) -> bytes:
    """The page of a game; ``events`` are the records of ``game``, one for one."""
    style, script = asset("bundle.css"), asset("bundle.js")
    pictures = _by_turn(state, game)
    logged = _between(state, game, events)
    title = escape(" – ".join(state.players[side] for side in SIDES))
    turns = "".join(
        _turn(turn, state, pictures.get(turn.number, []), logged.get(turn.number, []))
        for turn in state.turns
    )
    before = logged.get(0, [])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}: the evidence of a game</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{title}</h1>
{_result(state)}
<p class="facts">{_facts(state, events, key)}</p>
<p class="absent" id="absent">Some pictures are not beside this page. Unpack the whole bundle into
a folder and open index.html there.</p>
</header>
<main class="layout">
<nav aria-label="Turns"><ol class="turns">{"".join(_link(turn) for turn in state.turns)}</ol></nav>
<div>
<div class="step"><button type="button" id="earlier">← Earlier</button>
<button type="button" id="later">Later →</button> <span id="where" role="status"></span>
<span class="keys">Arrow keys, Home and End work too.</span></div>
{turns or "<p>No turn was seen in this game.</p>"}
{_ending(state)}
{f"<details><summary>Before the first turn</summary>{_events(before)}</details>" if before else ""}
</div>
</main>
<footer><p>A page proves nothing by itself: whoever can change the bundle can change it.
<code>tilewatch verify</code> checks the bundle, and docs/evidence.md says how to do it without
tilewatch.</p></footer>
<script>{script}</script>
</body>
</html>
""".encode()


def _result(state: GameState) -> str:
    lines = "".join(
        f"<span>{escape(state.players[side])} <b>{state.scores[side]}</b></span>" for side in SIDES
    )
    return f'<p class="result">{lines}</p>'


def _facts(state: GameState, events: Sequence[LoggedEvent], key: str) -> str:
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(events[0].wall_ns // 10**9))
    ended = state.end_reason.replace("_", " ") if state.end_reason else "not ended"
    signed = ", result signed" if state.signed is not None else ""
    if state.status == "ended" and not state.final:
        signed = ", result not final"
    announced = in_words(state.rulebook)
    rules = f"{state.rulebook.name} ({announced})" if announced else state.rulebook.name
    return (
        f"{escape(began)} · {escape(rules)} · {escape(state.tile_set.name)} · "
        f"{escape(ended)}{signed}<br>Key of the table <code>{fingerprint(key)}</code> · "
        f"digest of the last event <code>{digest(events[-1].hash)}</code>"
    )


def _link(turn: Turn) -> str:
    flagged = " flagged" if turn.flags else ""
    what = turn.words[0][0] if turn.words and turn.kind == "play" else turn.kind.replace("_", " ")
    return (
        f'<li><a href="#turn-{turn.number}"><span class="n">{turn.number}</span>'
        f'<span class="w{flagged}">{escape(what)}</span><span>{turn.score:+d}</span>'
        f'<span class="t">{turn.total}</span></a></li>'
    )


def _turn(
    turn: Turn,
    state: GameState,
    pictures: Sequence[Picture],
    logged: Sequence[tuple[LoggedEvent, Event]],
) -> str:
    name = escape(state.players[turn.side])
    what = turn.kind.replace("_", " ")
    if turn.word is not None:
        what = f"{turn.position} {turn.word}" + ("" if turn.kind == "play" else f" ({what})")
    words = ", ".join(f"{escape(text)} {points}" for text, points in turn.words)
    bingo = f" + {turn.bingo} for all tiles" if turn.bingo else ""
    crops = [one for one in pictures if one.role == "crop"]
    frames = [one for one in pictures if one.role != "crop"]
    return f"""<section class="turn" id="turn-{turn.number}" data-name="Turn {turn.number}"
aria-labelledby="name-{turn.number}">
<h2 id="name-{turn.number}">{turn.number}. {name}: {escape(what)}</h2>
<p class="line"><b>{turn.score:+d}</b>, {turn.total} in all{f" ({words}{bingo})" if words else ""}.
Press at {_clock(turn.press_ns - state.start.t_ns)} of the game.</p>
{_flags(turn)}
<div class="views">
{_board(turn)}
<div><div class="pictures">{"".join(_figure(one, turn.press_ns) for one in frames)}</div>
<div class="crops">{"".join(_figure(one, turn.press_ns) for one in crops)}</div>
{"" if pictures else "<p>No pictures of this turn were kept.</p>"}</div>
</div>
<details><summary>What was logged of it</summary>{_events(logged)}</details>
</section>
"""


def _flags(turn: Turn) -> str:
    if not turn.flags:
        return ""
    lines = "".join(
        f"<li><b>{escape(label(flag.code))}</b>: {escape(flag.message)}"
        f"{f' (rule {escape(flag.rule)})' if flag.rule else ''}</li>"
        for flag in turn.flags
    )
    return f'<ul class="flags">{lines}</ul>'


def _board(turn: Turn) -> str:
    new = {Square.parse(name) for name in turn.tiles}
    taken = {square for square in turn.before.diff(turn.after) if is_tile(turn.before[square])}
    head = "".join(f'<th scope="col">{"ABCDEFGHIJKLMNO"[col]}</th>' for col in range(SIZE))
    rows = "".join(
        f'<tr><th scope="row">{row + 1}</th>'
        + "".join(_cell(turn.after, Square(row, col), new, taken) for col in range(SIZE))
        + "</tr>"
        for row in range(SIZE)
    )
    return (
        f'<table class="board" aria-label="The board after turn {turn.number}">'
        f"<tr><td></td>{head}</tr>{rows}</table>"
    )


def _cell(board: Board, square: Square, new: set[Square], taken: set[Square]) -> str:
    symbol = board[square]
    classes = []
    if symbol != ".":
        classes.append("tile")
        if is_blank(symbol):
            classes.append("blank")
    elif square_class := _PREMIUMS.get(premium(square)):
        classes.append(square_class)
    if square in new:
        classes.append("new")
    elif square in taken:
        classes.append("gone")
    shown = "" if symbol == "." else escape(symbol.upper())
    return f'<td class="{" ".join(classes)}">{shown}</td>' if classes else f"<td>{shown}</td>"


def _figure(picture: Picture, press_ns: int) -> str:
    name = picture_name(picture.sha256)
    apart = (picture.exposed_ns - press_ns) / 1e9
    role = picture.square or _ROLES.get(picture.role, picture.role)
    caption = f"{escape(role)}" if picture.square else f"{escape(role)}, {apart:+.2f} s"
    return (
        f'<figure><a href="{name}"><img src="{name}" loading="lazy" alt="{escape(role)}"></a>'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _ending(state: GameState) -> str:
    if not state.adjustments:
        return ""
    rows = "".join(
        f"<tr><td>{escape(state.players[line.side])}</td><td>{line.points:+d}</td>"
        f"<td>{escape(line.kind.replace('_', ' '))} {escape(line.tiles)}"
        f"{f' (rule {escape(line.rule)})' if line.rule else ''} {escape(line.why)}</td></tr>"
        for line in state.adjustments
    )
    return f'<h3>Beside the turns</h3><table class="events">{rows}</table>'


def _events(logged: Sequence[tuple[LoggedEvent, Event]]) -> str:
    rows = "".join(
        f"<tr><td>{record.seq}</td><td>{_wall(record.wall_ns)}</td><td>{escape(record.type)}<br>"
        f"{escape(record.source)}</td><td><code>{escape(_short(event))}</code></td></tr>"
        for record, event in logged
    )
    return (
        '<table class="events"><tr><th>Event</th><th>Time (UTC)</th><th>What, by</th>'
        f"<th>Payload</th></tr>{rows}</table>"
    )


def _short(event: Event) -> str:
    """A payload without what the page shows anyway."""
    payload = {
        name: value
        for name, value in to_payload(event).items()
        if name not in ("type", "rows", "pictures", "frames", "confidence", "certainty")
        and value is not None
    }
    return canonical_json(payload)


def _by_turn(state: GameState, game: Sequence[Event]) -> Mapping[int, list[Picture]]:
    """The pictures of each turn, in order of their exposures."""
    found: dict[int, dict[tuple[str, int, str | None], Picture]] = {}
    linked: list[tuple[int, Picture]] = []
    seen_in: dict[int, list[int]] = {}
    for turn in state.turns:
        for number in made_of_events(state, turn.number):
            seen_in.setdefault(number, []).append(turn.number)

    def add(number: int, picture: Picture) -> None:
        key = (picture.sha256, picture.exposed_ns, picture.square)
        found.setdefault(number, {})[key] = picture

    for number, event in enumerate(game, start=1):
        about = turns_named(state, number, event)
        if isinstance(event, PicturesKept):
            for picture in event.pictures:
                for which in about:
                    add(which, picture)
        elif isinstance(event, TilesChanged | BoardSeen) and "after" in event.frames:
            picture = Picture("after", event.frames["after"], event.sighted_ns)
            linked += [(which, picture) for which in about]
        elif isinstance(event, TurnSeen) and (at := event.frames.get("at")) is not None:
            picture = Picture("read", at, event.sighted_ns or event.press_ns)
            linked += [(which, picture) for which in seen_in.get(number, ())]
    for number, picture in linked:  # unless the pictures kept have it, and say more of it
        if picture.sha256 not in {one.sha256 for one in found.get(number, {}).values()}:
            add(number, picture)
    return {
        number: sorted(pictures.values(), key=lambda one: (one.exposed_ns, one.square or ""))
        for number, pictures in found.items()
    }


def _between(
    state: GameState, game: Sequence[Event], events: Sequence[LoggedEvent]
) -> Mapping[int, list[tuple[LoggedEvent, Event]]]:
    """The events by turn: each turn's own and all until the next, but rulings at theirs."""
    presses = [turn.press_ns for turn in state.turns]
    found: dict[int, list[tuple[LoggedEvent, Event]]] = {}
    for at, (record, event) in enumerate(zip(events, game, strict=True), start=1):
        named = turns_named(state, at, event)
        if named and 1 <= named[-1] <= len(presses):
            number = named[-1]
        else:
            number = sum(press <= record.mono_ns for press in presses)
        found.setdefault(number, []).append((record, event))
    return found


def _clock(ns: int) -> str:
    seconds = max(0, ns) // 10**9
    return f"{seconds // 60}:{seconds % 60:02}"


def _wall(ns: int) -> str:
    return time.strftime("%H:%M:%S", time.gmtime(ns // 10**9))
