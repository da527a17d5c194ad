"""One turn of the account as HTML: the same in a bundle's page and in the dispute view."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from game.board import Square, is_tile
from game.clock import shown
from game.events import SIDES, PicturesLost
from game.flags import label
from game.tile_symbols import printed, spelled, symbol_words
from record.story import Entry, Story
from record.story.decisions import Decision, kind_words
from record.story.event_wording import number, signed
from record.story.turns import Shot, TurnStory
from record.story_html.drawings import PictureSource, board, crop, picture, sum_table
from record.story_html.words import (
    entered_late,
    escape,
    game_time,
    moment,
    offset,
    role,
    wall,
)

_AT_PRESS: Final = frozenset({"before", "at", "read", "after", "changed"})


def title(one: TurnStory) -> str:
    """Return a turn in a few words: ``7. Ann: 8D PLATE, +20``."""
    turn = one.turn
    what = kind_words(turn.kind)
    if turn.main_word is not None:
        what = f"{turn.position} {printed(turn.main_word)}" + (
            "" if turn.kind == "play" else f" ({what})"
        )
    return spelled(f"{one.number}. {one.name}: {what}, {signed(turn.score)}")


def facts(story: Story, one: TurnStory) -> str:
    """Return the time, the clocks and the score of a turn, in a line."""
    turn, state = one.turn, story.state
    into = (
        ""
        if story.wall.replayed
        else f", {game_time(turn.press_ns - state.start.t_ns)} into the game"
    )
    parts = [f"Ended at {moment(story, turn.press_ns)}{into}"]
    if one.clocks_ns is not None:
        clocks = ", ".join(f"{state.players[s]} {shown(one.clocks_ns[s])}" for s in SIDES)
        parts.append(f"clocks then: {clocks}")
    if one.thought_ns is not None:
        parts.append(f"{one.name} took {game_time(one.thought_ns)}")
    parts.append(f"{one.name} has {number(turn.total)} after it")
    parts.append(f"{turn.bag_count} in the bag")
    parts += [_lost(story, stretch) for stretch in turn.seen.lost or ()]
    return f'<p class="facts">{escape("; ".join(parts))}.</p>'


def _lost(story: Story, stretch: PicturesLost) -> str:
    """Return the note that pictures were lost, with the first and the last moment."""
    from_, until = moment(story, stretch.from_ns), moment(story, stretch.until_ns)
    dropped = f", of which {stretch.dropped} came and were dropped" if stretch.dropped else ""
    return f"pictures were lost from {from_} to {until}{dropped}"


def sum_of(one: TurnStory) -> str:
    """Return the sum of a turn; only its words if the sum cannot be computed by squares."""
    if one.sum is not None:
        return f"<h3>The sum</h3>{sum_table(one.sum)}{_beside(one)}"
    if one.turn.words:
        words = ", ".join(f"{escape(text)} {points}" for text, points in one.turn.words)
        return f"<h3>The sum</h3><p>{words}. The squares do not give this sum.</p>{_beside(one)}"
    return _beside(one)


def _beside(one: TurnStory) -> str:
    lines = []
    if one.turn.bonus:
        lines.append(f"{signed(one.turn.bonus)} for a challenge in vain")
    if one.turn.penalty:
        lines.append(f"−{one.turn.penalty} for an exchange with too few tiles in the bag")
    return f"<p>{'; '.join(lines)}.</p>" if lines else ""


def boards(one: TurnStory) -> str:
    """Return the board before the press and after it, and at the press if this differs."""
    turn = one.turn
    took = [s.name for s in turn.before.diff(one.lay) if is_tile(turn.before[s])]
    same = one.lay == turn.after and not one.went
    at = "" if same else board(one.lay, "at the press", new=tuple(turn.tiles))
    before = board(turn.before, "before", gone=took)
    after = board(turn.after, "after", new=_stayed(one), gone=one.went)
    return f'<div class="boards">{before}{at}{after}</div>{_reading(one)}'


def _stayed(one: TurnStory) -> tuple[str, ...]:
    return tuple(name for name in one.turn.tiles if name not in one.went)


def _reading(one: TurnStory) -> str:
    """Return the squares that the camera read differently from what counts; empty if none."""
    if len(one.turn.seen.rows) != 15:
        return ""
    differing = []
    for name, symbol in one.turn.tiles.items():
        square = Square.parse(name)
        read = one.turn.seen.rows[square.row][square.col]
        if read != symbol and not (read == "?" and symbol.islower()):
            differing.append(
                f"{name}: read as {escape(symbol_words(read))}, "
                f"counts as {escape(symbol_words(symbol))}"
            )
    return f'<p class="differs">The camera: {"; ".join(differing)}.</p>' if differing else ""


def film(one: TurnStory, source: PictureSource) -> str:
    """Return the pictures on a time line, shown one at a time without a script."""
    if not one.shots:
        return '<p class="none">No picture of this turn was kept.</p>'
    corners = next((shot.corners for shot in one.shots if shot.corners is not None), None)
    chosen, printed = _chosen(one.shots), _printed(one.shots)
    items = "".join(
        _frame(one, shot, corners, source, (at, at == chosen, at in printed))
        for at, shot in enumerate(one.shots)
    )
    return (
        f'<div class="film" role="radiogroup" aria-label="Pictures of turn {one.number}, '
        f'by seconds from its press">{items}</div>'
    )


def _chosen(shots: Iterable[Shot]) -> int:
    """Return the index of the picture at the press, else of the one read, else of the first."""
    roles = [shot.roles for shot in shots]
    for wanted in ("read", "at"):
        for at, found in enumerate(roles):
            if wanted in found:
                return at
    return 0


def _printed(shots: Sequence[Shot]) -> set[int]:
    """Return the indices of the pictures to print: of the press, and an interruption's ends.

    The pictures are few enough for a dispute to fit on two pages.
    """
    press = [at for at, shot in enumerate(shots) if set(shot.roles) & _AT_PRESS]
    between = [at for at in range(len(shots)) if at not in press]
    return {*press[:4], *between[:1], *between[-1:]}


def _frame(
    one: TurnStory,
    shot: Shot,
    corners: tuple[tuple[float, ...], ...] | None,
    source: PictureSource,
    place: tuple[int, bool, bool],
) -> str:
    """Return one picture; ``place`` is (its number, True to show it first, True to print it)."""
    at, checked, printed = place
    words = f"{role(shot.roles, shot.from_press_ns)}, {offset(shot.from_press_ns)}"
    later = bool(set(shot.roles) & {"changed", "stopped", "ruled"})
    marked = [(name, "new") for name in one.turn.tiles if not (later and name in one.went)]
    marked += [(name, "gone") for name in one.went if later]
    if shot.deleted and source.address(shot.sha256) is None:
        inner = f'<p class="none">{escape(words)}: deleted by the table\'s rule, as logged.</p>'
    else:
        inner = picture(
            source,
            shot.sha256,
            shot.corners or corners,
            words,
            marked=marked,
            exact=shot.corners is not None,
        )
    key = f"shot-{one.number}-{at}"
    important = " key" if printed else ""
    return (
        f'<input type="radio" name="shots-{one.number}" id="{key}"{" checked" if checked else ""} '
        f'data-ns="{shot.from_press_ns}">'
        f'<label for="{key}" title="{escape(words)}">{offset(shot.from_press_ns, 1)}</label>'
        f'<figure class="frame{important}">{inner}<figcaption>{escape(words)}</figcaption></figure>'
    )


def crops(one: TurnStory, source: PictureSource) -> str:
    """Return the crops of the changed squares, as the camera saw them."""
    newest = {shot.square: shot for shot in one.crops if shot.square is not None}
    if not newest:
        return ""
    items = "".join(
        f"<figure>{crop(source, shot.sha256, f'{name} as the camera saw it')}"
        f"<figcaption>{name}{_sure(one, name)}</figcaption></figure>"
        for name, shot in sorted(newest.items(), key=lambda item: Square.parse(item[0]))
    )
    return f'<div class="crops">{items}</div>'


def _sure(one: TurnStory, name: str) -> str:
    sure = one.turn.seen.confidence.get(name)
    if sure is None:
        return ""
    doubtful = name in (one.turn.seen.marked or ())
    return f", {100 * sure:.1f}%, may be misread" if doubtful else f", {100 * sure:.0f}%"


def flags(one: TurnStory) -> str:
    """Return the flags of a turn with rules and remedies."""
    if not one.flags:
        return ""
    items = []
    for note in one.flags:
        flag = note.flag
        rule = f' <span class="rule">rule {escape(flag.rule)}</span>' if flag.rule else ""
        what = f"<b>{escape(label(flag.code))}</b>{rule}: {escape(flag.message)}"
        remedies = "".join(f"<li>{escape(text)}</li>" for text in note.remedies)
        settled = f"<p>Settled: {escape(note.settled_by)}.</p>" if note.settled_by else ""
        items.append(f"<li>{what}{f'<ul>{remedies}</ul>' if remedies else ''}{settled}</li>")
    return f'<h3>Flags</h3><ul class="flags">{"".join(items)}</ul>'


def decisions(story: Story, found: Iterable[Decision]) -> str:
    """Return the entries of people, each with author, time, reason and effects."""
    items = [_decision(story, one) for one in found]
    return f'<ol class="decisions">{"".join(items)}</ol>' if items else ""


def _decision(story: Story, one: Decision) -> str:
    entry = one.entry
    when = wall(entry.logged.wall_ns, story.zone)
    who = entry.by or entry.logged.source
    why = f"<p>Why: {escape(entry.why)}</p>" if entry.why else "<p>No reason was entered.</p>"
    called = getattr(entry.event, "called_ns", None)
    at = f", called at {moment(story, called)}" if called is not None else ""
    rule = f" ({escape(one.rule)})" if one.rule else ""
    beside = "" if one.place.named else " It names no turn; it is of this time."
    mark = "" if one.stands else f"<p><b>Taken back by event {one.taken_back}.</b></p>"
    back = f" It takes back event {one.takes_back}." if one.takes_back is not None else ""
    lines = "".join(f"<li>{escape(line)}</li>" for line in one.changes)
    lines = f"<ul>{lines}</ul>" if lines else "<p>It changed nothing.</p>"
    return (
        f'<li class="{"" if one.stands else "gone"}"><p><b>{escape(one.text)}</b>{rule}'
        f'<br><span class="who">{escape(who)}, {when}{at}, event {entry.number}'
        f"{entered_late(one.place)}</span>"
        f"{back}{beside if one.turns else ''}</p>{why}{lines}{mark}</li>"
    )


def presses(one: TurnStory) -> str:
    """Return the presses around a turn and the raw edges of the contacts."""
    items = "".join(
        f"<li><b>{offset(ns, 3)}</b> {escape(text)}</li>" for ns, text in one.presses
    )  # fmt: skip
    edges = ""
    if one.edges:
        shown_ = ", ".join(
            f"{escape(edge.button)} {'closed' if edge.closed else 'opened'} "
            f"{_milliseconds(edge.t_ns - one.turn.press_ns)}"
            for edge in one.edges
        )
        edges = (
            f"<p>Raw edges of the contacts, bounces and all: {shown_}. The first closing is taken "
            "for the press; what follows within milliseconds is the contact's bounce.</p>"
        )
    return f'<ul class="presses">{items}</ul>{edges}' if items or edges else ""


def _milliseconds(ns: int) -> str:
    return f"{'−' if ns < 0 else '+'}{abs(ns) / 1e6:.3f} ms"


def logged(entries: Iterable[Entry]) -> str:
    """Return events as they were logged, in a collapsed element."""
    rows = "".join(
        f"<li>event {one.number} ({one.logged.seq} of the table's log), "
        f"{wall(one.logged.wall_ns)}, {escape(one.logged.type)}, by {escape(one.logged.source)}"
        f"<pre>{html.escape(_short(one.logged.payload))}</pre></li>"
        for one in entries
    )
    return f"<details><summary>As it was logged</summary><ol>{rows}</ol></details>" if rows else ""


def _short(payload: Mapping[str, object]) -> str:
    hidden = ("type", "rows", "confidence", "certainty")
    left = {k: v for k, v in payload.items() if k not in hidden and v is not None}
    return json.dumps(left, ensure_ascii=False, sort_keys=True)


def turn_section(story: Story, one: TurnStory, source: PictureSource, nav: str = "") -> str:
    """Return a turn with everything about it."""
    ruled = decisions(story, one.decisions)
    mark = ' <span class="mark">ruled on or corrected</span>' if one.amended else ""
    return f"""<section class="turn" id="turn-{one.number}" aria-labelledby="name-{one.number}">
<h2 id="name-{one.number}">{escape(title(one))}{mark}</h2>{nav}
{facts(story, one)}
{f"<h3>Ruled and entered</h3>{ruled}" if ruled else ""}{flags(one)}
<div class="case"><div class="look">{film(one, source)}{crops(one, source)}</div>
<div class="account">{boards(one)}{sum_of(one)}
<h3>The clock</h3>{presses(one) or "<p>No press was logged.</p>"}</div></div>
{logged(one.entries)}
</section>
"""
