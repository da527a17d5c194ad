"""One turn of the account as HTML: the same in a bundle's page and in the dispute view."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from operator import itemgetter

from game.board import is_tile
from game.clock import shown
from game.events import SIDES, other
from game.tile_symbols import spelled, symbol_words
from record.story import Story
from record.story.decisions import looked_again
from record.story.effects import turn_words
from record.story.entries import Step
from record.story.event_wording import lasting, number, read_when, signed
from record.story.incident import Incident
from record.story.turns import TurnStory
from record.story_html.drawings import PictureSource, board, sum_table
from record.story_html.pictures import UNPRESSED, crops, film, gaps, happened, on_paper
from record.story_html.words import escape, moment, offset, wall


def title(one: TurnStory) -> str:
    """Return a turn in a few words: ``7. Ann: 8D PLATE, +20``."""
    return spelled(f"{one.number}. {one.name}: {turn_words(one.turn)}")


def facts(story: Story, one: TurnStory) -> str:
    """Return the time, the clocks and the score of a turn, in a line."""
    turn, state = one.turn, story.state
    how = "Pressed" if one.pressed else f"Ended {UNPRESSED}"
    parts = [f"{how} at {moment(story, turn.press_ns)}"]
    if (clock := story.clock) is not None:
        left = clock.shown_ns(turn.press_ns)
        clocks = ", ".join(f"{state.players[side]} {shown(left[side])}" for side in SIDES)
        parts.append(f"clocks then: {clocks}")
        parts.append(f"{one.name} took {lasting(clock.ran_ns(turn.side, turn))}")
        if lent_ns := clock.ran_ns(other(turn.side), turn):
            owner = state.players[other(turn.side)]
            parts.append(f"{owner}'s clock ran {lasting(lent_ns)} for it")
    parts.append(f"{one.name} has {number(turn.total)} after it")
    parts.append(f"{turn.bag_count} in the bag by count")
    if again := [*filter(None, dict.fromkeys(map(looked_again, one.entries)))]:
        parts.append(f"looked at again after it, with nothing changed: {', '.join(again)}")
    return f'<p class="facts">{escape("; ".join(parts))}.</p>'


def sum_of(one: TurnStory) -> str:
    """Return the sum of a turn; only its words if the sum cannot be computed by squares."""
    if one.sum is not None:
        return f"<h3>The sum</h3>{sum_table(one.sum)}{_beside(one)}"
    if one.turn.words:
        words = ", ".join(f"{escape(text)} {points}" for text, points in one.turn.words)
        return f"<h3>The sum</h3><p>{words}. The squares do not give this sum.</p>{_beside(one)}"
    return _beside(one)


def _beside(one: TurnStory) -> str:
    lines = [*one.exchanged]
    if one.turn.bonus:
        lines.append(f"{signed(one.turn.bonus)} for a challenge in vain")
    if one.turn.penalty:
        lines.append(f"−{one.turn.penalty} for an exchange with too few tiles in the bag")
    return f"<p>{escape('; '.join(lines))}.</p>" if lines else ""


def boards(one: TurnStory) -> str:
    """Return the board before the press and after it, and at the press if this differs."""
    turn = one.turn
    took = [s.name for s in turn.before.diff(one.lay) if is_tile(turn.before[s])]
    at = "" if one.lay == turn.after else board(one.lay, _read(one), new=tuple(turn.tiles))
    before = board(turn.before, "before, as it counts", gone=took)
    title = "after, as it counts"
    if one.stayed:
        title = f"after, as it counts; {', '.join(s.name for s in one.stayed)} still lay there"
    new = tuple(name for name in turn.tiles if name not in one.went)
    after = board(turn.after.replace(one.stayed), title, new=new, gone=one.went)
    return f'<div class="boards">{before}{at}{after}</div>'


def _read(one: TurnStory) -> str:
    """Return when the board at the press was read, and where the record has it otherwise."""
    if one.unseen or not one.pressed:
        return f"by the record, at {one.end}"
    counts = ", ".join(f"{at.name} counts as {symbol_words(it)}" for at, it in one.unlike.items())
    return f"as it was read {read_when(one.turn.seen)}" + (f"; {counts}" if counts else "")


def incident(story: Story, one: Incident, turn: TurnStory | None) -> str:
    """Return an incident as an item of a list; its time counts from the press of ``turn``."""
    about = one.turns if is_several(one) else one.also
    links = ", ".join(f'<a href="#turn-{n}">{n}</a>' for n in about)
    also = f" ({'turns' if is_several(one) else 'also turn'} {links})" if links else ""
    text = f"{one.text}{one.how_entered}"
    text = escape(f"{text} ({one.rule})" if one.rule else text)
    why = f" <i>Why: {escape(one.why)}.</i>" if one.why else ""
    at = [f"event {one.event}"] if one.event is not None else []
    if turn is None:
        at.insert(0, moment(story, one.t_ns))
    elif not is_several(one) and (ns := one.t_ns - turn.turn.press_ns):
        at.insert(0, offset(ns))
    when = f'<span class="when">{", ".join(at)}</span> ' if at else ""
    lines = "".join(f"<li>{escape(line)}</li>" for line in one.lines)
    lines = f"<ul>{lines}</ul>" if lines else ""
    return (
        f'<li class="{one.kind}{" open" if one.open else ""}"><b>{one.kind}</b> '
        f"{when}{text}{also}{why}{lines} <span>→ {escape(one.outcome)}</span></li>"
    )


def is_several(one: Incident) -> bool:
    """True if an incident stands for the same in several turns."""
    return bool(one.also) and one.event is None and one.kind in ("flag", "note")


def incident_list(story: Story, found: Iterable[Incident], turn: TurnStory | None) -> str:
    """Return incidents as a list, with times from the press of ``turn``; empty without any."""
    items = "".join(incident(story, one, turn) for one in found)
    return f'<ul class="told">{items}</ul>' if items else ""


def contacts(one: TurnStory) -> str:
    """Return the raw edges of the contacts around a turn's press; empty if none were kept."""
    if not one.edges:
        return ""
    edges = ", ".join(
        f"{escape(edge.button)} {'closed' if edge.closed else 'opened'} "
        f"{_milliseconds(edge.t_ns - one.turn.press_ns)}"
        for edge in one.edges
    )
    return (
        f"<p>Raw edges of the contacts, bounces and all: {edges}. The first closing is taken "
        "for the press; what follows within milliseconds is the contact's bounce.</p>"
    )


def _milliseconds(ns: int) -> str:
    return f"{'−' if ns < 0 else '+'}{abs(ns) / 1e6:.3f} ms"


def known(
    story: Story, entries: Iterable[Step], one: TurnStory | None = None, *, opened: bool = False
) -> str:
    """Return events in the order in which they became known, each as it was logged.

    Times count from the press of ``one``, the turn with which they are shown, if it is given.
    """
    rows = "".join(_known(story, entry, one) for entry in entries)
    return (
        f'<details class="known"{" open" if opened else ""}><summary>What was known when</summary>'
        f"<ol>{rows}</ol></details>"
        if rows
        else ""
    )


def _known(story: Story, entry: Step, turn: TurnStory | None) -> str:
    logged = entry.logged
    at = moment(story, logged.mono_ns)
    if turn is not None:
        at = offset(logged.mono_ns - turn.turn.press_ns)
    why = f" <i>Why: {escape(entry.why)}.</i>" if entry.why else ""
    return (
        f"<li><details><summary><b>{at}</b> {escape(story.course.words(entry))}{why} "
        f'<span class="who">{escape(entry.who)}, event {entry.number}, '
        f"{wall(logged.wall_ns, story.zone)}</span></summary>"
        f"{escape(logged.type)}, by {escape(logged.source)}, {logged.seq} of the table's log"
        f"<pre>{html.escape(_short(logged.payload))}</pre></details></li>"
    )


def _short(payload: Mapping[str, object]) -> str:
    hidden = ("type", "rows", "confidence", "certainty")
    left = {k: v for k, v in payload.items() if k not in hidden and v is not None}
    return json.dumps(left, ensure_ascii=False, sort_keys=True)


def _moments(one: TurnStory) -> str:
    """Return what happened around a turn as a list, for paper, where no time line is."""
    found = sorted(happened(one), key=itemgetter(0))  # of one moment: as they were entered
    items = "".join(f"<li><b>{offset(ns)}</b> {escape(text)}</li>" for ns, text in found)
    if not items:
        return ""
    return (
        f'<div class="moments"><h3>{escape(title(one))}: by seconds from {one.end}</h3>'
        f"<ul>{items}</ul></div>"
    )


def turn_section(
    story: Story, one: TurnStory, source: PictureSource, nav: str = "", more: str = ""
) -> str:
    """Return a turn as it is printed: pictures and time line, boards, and the ledger.

    ``nav`` stands below its title, and ``more`` at its end.
    """
    parts = (("Flags", one.flags), ("Ruled and entered", one.decisions))
    ledger = "".join(
        f"<div><h3>{head}</h3>{incident_list(story, found, one)}</div>"
        for head, found in parts
        if found
    )
    mark = ' <span class="mark">ruled on or corrected</span>' if one.amended else ""
    n = one.number
    return f"""<section class="turn {on_paper(one)}" id="turn-{n}" aria-labelledby="name-{n}">
<h2 id="name-{one.number}">{escape(title(one))}{mark}</h2>{nav}
{facts(story, one)}{gaps(story, one)}
<div class="case"><div class="look">{film(story, one, source)}</div>
<div class="account">{_moments(one)}{boards(one)}{sum_of(one)}{crops(one, source)}</div></div>
<div class="ledger">{ledger}</div>
{contacts(one)}{more}
</section>
"""
