"""The game in a minute, its incidents, its clocks and its tiles as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from game.clock import shown
from game.events import SIDES, Side
from game.tile_symbols import spelled
from record.story import Story
from record.story.event_wording import end_words, game_time, number, signed
from record.story.story import CAMERA_CANNOT
from record.story.tiles import UNSEEN, TileAccount, TileFate
from record.story.turns import TurnStory
from record.story_html.turn import incident_list, is_several, known, title
from record.story_html.words import clock_of, date, escape, moment, plain


def opening(story: Story) -> str:
    """Return the result and how sure it is, the players, the time and the rules."""
    state = story.state
    scores = "".join(
        f"<span>{escape(story.seat(side))} <b>{number(state.scores[side])}</b></span>"
        for side in SIDES
    )
    first = story.entries[0].logged
    minutes = game_time(story.course.seen_ns - first.mono_ns)
    began = date(first.wall_ns, story.zone)
    played = f"{began}, {minutes} from first to last event"
    if story.wall.replayed:
        played = f"{minutes} from first to last event of a recording, replayed {began}"
    played = f"{played}; {clock_of(story)}"
    turns = "1 turn" if len(state.turns) == 1 else f"{len(state.turns)} turns"
    ended = f"not ended; {turns} so far"
    if state.end_reason:
        ended = f"{end_words(state).get(state.end_reason, plain(state.end_reason))}, after {turns}"
    doubts = "".join(f"<li>{_linked(line)}</li>" for line in story.doubts)
    lines = "".join(f"<li>{_linked(line)}</li>" for line in story.adjustments)
    beside = f"<h3>Points beside the turns</h3><ul>{lines}</ul>" if lines else ""
    return f"""<p class="result">{scores}</p>
<p class="verdict">{escape(story.result)}. <b>{escape(story.standing)}</b></p>
{f'<ul class="doubts">{doubts}</ul>' if doubts else ""}
<dl class="minute"><dt>Played</dt><dd>{played}</dd>
<dt>Rules</dt><dd>{escape(story.rules)}; {escape(state.tile_set.name)}</dd>
<dt>Its end</dt><dd>{escape(ended)}</dd>
<dt>Game</dt><dd>{escape(state.game_id)}</dd></dl>{beside}"""


def _linked(line: str) -> str:
    """Return a line with a link to the turn that it begins with, or to what followed the last."""
    if line.startswith("after the last turn"):
        return f'<a href="#turn-0">{escape(line)}</a>'
    found = re.match(r"(?:after )?turn (\d+)", line)
    if found is None:
        return escape(line)
    return f'<a href="#turn-{found[1]}">{escape(line)}</a>'


def incidents(story: Story) -> str:
    """Return the incidents by turn, to be filtered by kind, each with its reason and outcome."""
    if not story.incidents:
        return "<p>Nothing was flagged, ruled, corrected or interrupted.</p>"
    several = [one for one in story.incidents if is_several(one)]
    single = (one for one in story.incidents if not is_several(one))
    turns = (
        (number and story.turns[number - 1], [*of])
        for number, of in groupby(single, lambda one: one.turn)
    )
    found = [(_place(story, turn), turn, of) for turn, of in turns]
    if several:
        found.append(("Of several turns, and nothing was changed by it", story.turns[0], several))
    items = "".join(
        f"<li><h3>{place}</h3>{incident_list(story, of, turn)}</li>" for place, turn, of in found
    )
    return f'{_filter(story)}<ol class="incidents">{items}</ol>'


def _filter(story: Story) -> str:
    """Return the choice of a kind of incident, which works without a script."""
    kinds = Counter(one.kind for one in story.incidents)
    choices = [("all", f"all {len(story.incidents)}")]
    choices += [(kind, f"{kind} {count}") for kind, count in kinds.items()]
    items = "".join(
        f'<input type="radio" name="kind" id="kind-{kind}"{" checked" if kind == "all" else ""}>'
        f'<label for="kind-{kind}">{words}</label>'
        for kind, words in choices
    )
    return f'<div class="kinds" role="group" aria-label="Show incidents of a kind">{items}</div>'


def _place(story: Story, one: TurnStory | None) -> str:
    """Return the heading of a turn's incidents, with a link to the turn."""
    if one is None:
        return '<a href="#turn-0">The game</a>' if story.beside else "The game"
    return (
        f'<a href="#turn-{one.number}">{escape(title(one))}</a> {moment(story, one.turn.press_ns)}'
    )


def turn_list(story: Story) -> str:
    """Return the turns as links."""
    items = "".join(
        f'<li><a href="#turn-{one.number}">{escape(title(one))}'
        f"<span> = {number(one.turn.total)}{' ⚑' if one.flags else ''}{' ✎' if one.amended else ''}"
        "</span></a></li>"
        for one in story.turns
    )
    signs = "<p>⚑ has a flag, ✎ was ruled on or corrected.</p>"
    return f'{signs}<ol class="turns">{items}</ol>' if items else "<p>No turn was seen.</p>"


def of_the_game(story: Story) -> str:
    """Return what stands at the game and at no turn: before the first, after the end, of both."""
    if not story.beside:
        return ""
    found = (one for one in story.decisions if not one.turns)
    return f"""<section class="turn" id="turn-0"><h2>The game</h2>
{incident_list(story, found, None)}{known(story, story.beside)}</section>"""


def clock(story: Story) -> str:
    """Return the account of both clocks, stretch by stretch."""
    account = story.clock
    if account is None:
        return "<p>This game was played without a clock.</p>"
    names = story.state.players
    sums = "".join(
        f"<tr><th scope=row>{escape(names[side])}</th><td>{_exact(account.full_ns[side])}</td>"
        f"<td>{_exact(-account.ran_ns(side))}</td><td>{_exact(account.changed_ns(side))}</td>"
        f"<td><b>{_exact(account.left_ns[side])}</b></td></tr>"
        for side in SIDES
    )
    rows = "".join(_stretches(story))
    left = "".join(f"<th>{escape(names[side])} then</th>" for side in SIDES)
    return f"""<table class="wide"><tr><th>Player</th><th>Began with</th><th>Ran</th>
<th>Given, taken</th><th>Left</th></tr>{sums}</table>
<p>Both clocks stood for {_exact(account.ran_ns(None))} in all.</p>
<h3>Every second, from the game's start to the last that the table saw</h3>
<table class="wide"><tr><th>From</th><th>For</th><th>Whose clock ran</th>{left}</tr>
{rows}</table>"""


def _stretches(story: Story) -> Iterator[str]:
    """Yield the rows of the clocks: a stretch is parted where an entry changed a clock."""
    account = story.clock
    assert account is not None
    names = story.state.players
    changes = sorted({one.at_ns for one in account.changes})
    stops = {one.t_ns: one.outcome for one in story.incidents if one.kind == "interruption"}
    for one in account.stretches:
        whose = "both stood" if one.side is None else names[one.side]
        why = one.reason or (stops.get(one.from_ns, "") if one.side is None else "")
        why = f": {why}" if why else ""
        turn = f" (turn {one.turn + 1})" if one.side is not None else ""
        within = [at for at in changes if one.from_ns < at < one.until_ns]
        for from_ns, until_ns in pairwise((one.from_ns, *within, one.until_ns)):
            yield from (_changed(story, at) for at in changes if at == from_ns)
            left = account.shown_ns(until_ns, changed=False)
            yield _row(story, from_ns, _exact(until_ns - from_ns), whose + turn + why, left)
    end_ns = account.stretches[-1].until_ns if account.stretches else 0
    yield from (_changed(story, at) for at in changes if at >= end_ns)


def _changed(story: Story, at_ns: int) -> str:
    """Return the row of what changed a clock at a moment."""
    assert story.clock is not None
    found = [one for one in story.clock.changes if one.at_ns == at_ns]
    words = (
        f"{story.state.players[one.side]} {_exact(one.added_ns)}, {story.course.words(one.entry)} "
        f"({one.entry.who}, event {one.entry.number})"
        f"{f', why: {one.entry.why}' if one.entry.why else ''}"
        for one in found
    )
    text = "entered: " + "; ".join(words)
    return _row(story, at_ns, "", text, story.clock.shown_ns(at_ns))


def _row(story: Story, from_ns: int, lasted: str, text: str, left: Mapping[Side, int]) -> str:
    clocks = "".join(f"<td>{shown(left[side])}</td>" for side in SIDES)
    at = moment(story, from_ns)
    return f"<tr><td>{at}</td><td>{lasted}</td><td>{escape(text)}</td>{clocks}</tr>"


def _exact(ns: int) -> str:
    """Return a time to the millisecond, as people write times: ``−1:44.312``."""
    minutes, milliseconds = divmod(abs(ns) // 10**6, 60_000)
    return f"{'−' if ns < 0 else ''}{minutes}:{milliseconds / 1000:06.3f}"


def tiles(story: Story) -> str:
    """Return the account of the tiles: where each was last seen."""
    account, names = story.tiles, story.state.players
    by_tile: dict[str, list[TileFate]] = {}
    for fate in account.fates:
        by_tile.setdefault(fate.tile, []).append(fate)
    rows = "".join(
        f"<tr><th scope=row>{escape(tile)}</th><td>{len(found)}</td>"
        f"<td>{escape(_fates(found))}</td></tr>"
        for tile, found in by_tile.items()
    )
    unread = f"<p>Not read: {', '.join(account.unread)}.</p>" if account.unread else ""
    later = ", ".join(f"{at} {spelled(symbol)}" for at, symbol in story.course.laid_after.items())
    unread += f"<p>Laid after the end, and of no play: {escape(later)}.</p>" if later else ""
    racks = ", ".join(f"{names[side]} {account.racks[side]}" for side in SIDES)
    missing = ""
    if account.uncounted:
        missing = (
            f"<p><b>{signed(account.uncounted)}</b> against that count: tiles are missing, "
            "too many or were not drawn as the rules have it.</p>"
        )
    return f"""{_lacking(account)}
<p>The set has {account.total} tiles: {len(account.at("board"))} lie on the board,
{len(account.at("rack"))} are known on a rack, {len(account.at("unseen"))} were not seen.
By counting, {account.bag} are in the bag; on the racks: {escape(racks)}.</p>{missing}{unread}
<table class="wide"><tr><th>Tile</th><th>Number</th><th>Where each was last</th></tr>{rows}</table>
"""


def _lacking(account: TileAccount) -> str:
    lacks = "".join(tile * n for tile, n in account.lacking.items())
    more = "".join(tile * -n for tile, n in account.lacking.items())
    parts = [f"lacks {lacks}" if lacks else "", f"has {more} too many" if more else ""]
    words = " and ".join(filter(None, parts))
    return f"<p><b>The set {escape(words)}</b>, by what was entered.</p>" if words else ""


def _fates(found: Sequence[TileFate]) -> str:
    lines = [one.text for one in found if one.text != UNSEEN]
    if count := len(found) - len(lines):
        lines.append(f"{count} {UNSEEN}")
    return "; ".join(lines)


def limits() -> str:
    """Return the list of facts that no camera can settle."""
    items = "".join(f"<li>{escape(line)}</li>" for line in CAMERA_CANNOT)
    return f"<p>A camera above the board cannot settle:</p><ul>{items}</ul>"
