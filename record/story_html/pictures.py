"""The pictures of a turn as HTML: shown first, printed, on the time line, and times without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from game.board import Square
from game.events import ButtonPressed
from game.terms import PictureEdge
from record.story import Story
from record.story.event_wording import lasting
from record.story.turns import Shot, TurnStory
from record.story_html.drawings import Corners, PictureSource, crop, picture
from record.story_html.words import escape, offset, role

Link = Callable[[TurnStory, Shot, str], str]
"""Returns words as a link to a picture of a turn, as HTML."""


def gaps(story: Story, one: TurnStory, link: Link | None = None) -> str:
    """Return the times of a turn, until the next ended, from which there is no picture.

    Each has the last picture before it and the first after it, with the turns where they are.
    ``link`` links to them; by default to their places on a bundle's page.
    """
    named = partial(_named, one, link or partial(_on_the_page, one))
    press_ns, shots = one.turn.press_ns, [(t, shot) for t in story.turns for shot in t.shots]
    shots.sort(key=lambda item: item[1].t_ns)
    found = []
    for gap in story.unseen:
        if gap.from_ns < one.until_ns and gap.until_ns > one.from_ns:
            when = f"from {offset(gap.from_ns - press_ns)} to {offset(gap.until_ns - press_ns)}"
            before = [item for item in shots if item[1].t_ns <= gap.from_ns][-1:]
            after = [item for item in shots if item[1].t_ns >= gap.until_ns][:1]
            words = f"{gap.words[:1].upper()}{gap.words[1:]}, {when}: {'; '.join(gap.causes)}"
            found.append(
                f"{escape(words)}. The last picture before it: {named(before)}; the first "
                f"after it: {named(after)}. {escape(gap.untold)}"
            )
    if not found and one.turn.seen.lost is not None:
        found += _unkept(one, [shot.t_ns for _, shot in shots])
    return "".join(f'<p class="facts gap">{words}</p>' for words in found)


_UNKEPT_NS: Final = 3_000_000_000
"""The time without a kept picture, while a turn was being made, from which it is said."""
_STILL_NS: Final = 13_000_000_000
"""The same if the turn has pictures of thinking: then nothing changed within a shorter time."""


def _unkept(one: TurnStory, taken_ns: Sequence[int]) -> Iterator[str]:
    """Yield words on each long time of a turn's making from which no picture was kept."""
    press_ns = one.turn.press_ns
    thinking = any("thinking" in shot.roles for shot in one.shots)
    least_ns = _STILL_NS if thinking else _UNKEPT_NS
    for from_ns, until_ns in pairwise(taken_ns):
        within = min(until_ns, press_ns) - max(from_ns, one.from_ns)
        if within > 0 and until_ns - from_ns >= least_ns:
            when = f"from {offset(from_ns - press_ns)} to {offset(until_ns - press_ns)}"
            yield f"Pictures came, but none is kept for {lasting(until_ns - from_ns)}, {when}."


def _named(one: TurnStory, link: Link, found: Sequence[tuple[TurnStory, Shot]]) -> str:
    """Return the place and the time of a picture, linked; ``none`` if there is none."""
    if not found:
        return "none"
    (where, shot), *_ = found
    at = offset(shot.from_press_ns)
    return link(where, shot, at if where.number == one.number else f"turn {where.number}, {at}")


def _on_the_page(one: TurnStory, where: TurnStory, shot: Shot, words: str) -> str:
    """Return a link to a picture on a bundle's page: of this turn it chooses the picture."""
    if where.number == one.number:
        return f'<label for="shot-{one.number}-{where.shots.index(shot)}">{words}</label>'
    return f'<a href="#turn-{where.number}">{words}</a>'


def film(story: Story, one: TurnStory, source: PictureSource) -> str:
    """Return the pictures, shown one at a time without a script, and the time line below them.

    The time line has the pictures and everything that happened in between, by seconds from the
    press.
    """
    chosen, printed = shown_first(one), answering(one)
    frame = partial(_frame, one, source=source, seats=seats(story, one))
    items = [
        (
            shot.from_press_ns,
            frame(shot, dark=story.dark_at(shot.t_ns), place=(at, at == chosen, at in printed)),
        )
        for at, shot in enumerate(one.shots)
    ]
    items += [
        (ns, f'<p class="moment"><b>{offset(ns)}</b> {escape(text)}</p>')
        for ns, text in happened(one)
    ]
    line = "".join(html for _, html in sorted(items, key=lambda item: item[0]))
    none = "" if one.shots else '<p class="none">No picture of this turn was kept.</p>'
    if len(printed) < len(one.shots):
        none = f'<p class="printed">{len(printed)} of {len(one.shots)} pictures are printed.</p>'
    words = f"Pictures and time line of turn {one.number}, by seconds from {one.end}"
    return (
        f'<div class="film of-{len(printed)}" role="group" aria-label="{words}">{none}{line}</div>'
    )


def _frame(
    one: TurnStory,
    shot: Shot,
    *,
    source: PictureSource,
    seats: Mapping[PictureEdge, str],
    dark: str,
    place: tuple[int, bool, bool],
) -> str:
    """Return one picture; ``place`` is (its number, True to show it first, True to print it).

    ``dark`` is why nothing is to be seen in it; else empty.
    """
    at, checked, printed = place
    words = role(shot.roles, shot.from_press_ns, one.end, dark=dark)
    words = f"{words}, {offset(shot.from_press_ns)}"
    later = bool(set(shot.roles) & {"changed", "stopped", "ruled"})
    marked = [(name, "new") for name in one.turn.tiles if not (later and name in one.went)]
    marked += [(name, "gone") for name in one.went if later]
    if shot.deleted and source.address(shot.sha256) is None:
        inner = f'<p class="none">{escape(words)}: deleted, as logged.</p>'
    else:
        inner = picture(
            source,
            shot.sha256,
            corners_of(one, shot, source),
            words,
            marked=marked if shot.corners is not None else (),
            seats=seats,
        )
        if dark:
            inner = f'{inner}<div class="brightened">{inner}<p>brightened</p></div>'
    key = f"shot-{one.number}-{at}"
    important = " key" if printed else ""
    return (
        f'<input type="radio" name="shots-{one.number}" id="{key}"{" checked" if checked else ""} '
        f'data-ns="{shot.from_press_ns}">'
        f'<label for="{key}" title="{escape(words)}">{offset(shot.from_press_ns)}</label>'
        f'<figure class="frame{important}">{inner}<figcaption>{escape(words)}</figcaption></figure>'
    )


def corners_of(one: TurnStory, shot: Shot, source: PictureSource) -> Corners | None:
    """Return the board's corners in a picture; if they are not known, as they are in a neighbour's.

    The neighbour is of the same turn. It may be of another size: some pictures are kept small.
    """
    known = next((each for each in one.shots if each.corners is not None), None)
    if shot.corners is not None or known is None or known.corners is None:
        return shot.corners
    size, of = source.size(shot.sha256), source.size(known.sha256)
    if size is None or of is None:
        return None
    return [(x * size[0] / of[0], y * size[1] / of[1]) for x, y in known.corners]


def seats(story: Story, one: TurnStory) -> dict[PictureEdge, str]:
    """Return the players by the edge of the picture at which they sit; empty if not known.

    The newest turn up to this one that knows it counts, else the next one after.
    """
    state = story.state
    earlier, later = state.turns[one.number - 1 :: -1], state.turns[one.number :]
    known = [each.seen.hands for each in (*earlier, *later)]
    found = next((hands for hands in known if hands), state.start.hands) or {}
    return {edge: state.players[side] for side, edge in found.items()}


UNPRESSED: Final = "without a press that was heard"
"""How a turn ended without a press, as far as the table can tell."""


def happened(one: TurnStory) -> Iterator[tuple[int, str]]:
    """Yield the presses, changes and entries around a turn: (ns from its press, words)."""
    press_ns = one.turn.press_ns
    yield from one.presses
    if not one.pressed:
        yield 0, f"the turn ended {UNPRESSED}"
    for change in one.changes:
        yield change.event.seen_ns - press_ns, f"{change.text} ({change.outcome})"
    for decision in sorted(one.decisions, key=lambda each: each.entry.number):
        yield from ((off.at_ns - press_ns, off.text) for off in decision.off)
        if not isinstance(decision.entry.event, ButtonPressed):
            yield decision.t_ns - press_ns, f"{decision.text}{decision.how_entered}"


def shown_first(one: TurnStory) -> int:
    """Return the index of the picture that was read, else of the one at the press, else 0.

    Without a press the opponent's play may lie on the picture that was read: the one at the end of
    the turn comes first.
    """
    wanted = ("read", "at") if one.pressed else ("at", "read")
    return max(0, next((at for at in (_with(one.shots, role) for role in wanted) if at >= 0), 0))


def answering(one: TurnStory) -> set[int]:
    """Return the indices of the pictures that answer what is asked of a turn; these are printed.

    They are those of the press, the first with all its tiles and, in this order, those of tiles
    being lifted, of the lifted tiles, of the start of a stop, of the moments about an entry, and of
    the last before a later press; the rest fill the longest times without one. At most nine are
    printed, six on one page.
    """
    shots = one.shots
    wanted = [_with(shots, role) for role in ("at", "read", "placed")]
    changed = [at for at, shot in enumerate(shots) if "changed" in shot.roles]
    if one.went or changed:
        wanted += [at for one_change in changed[-1:] for at in _lifting(shots, one_change)]
        wanted += changed[-1:] or [len(shots) - 1]
    wanted += [_with(shots, role) for role in ("altered", "settled", "put_back")]
    wanted += [_with(shots, "stopped"), *_entered(one), *_pressed_later(one)]
    wanted += [_with(shots, "before")]
    found = dict.fromkeys(at for at in wanted if 0 <= at < len(shots))
    found |= dict.fromkeys(_between(shots, [*found]))
    # Half of such a picture changed at once: a hand on the lens, or the board was pushed.
    most = _ON_ONE_PAGE if on_paper(one) == "one-page" else _PRINTED
    return set(sorted(found, key=lambda at: "bumped" in shots[at].roles)[:most])


_PRINTED: Final = 9
_ON_ONE_PAGE: Final = 6
_LIFTED_NS: Final = 3_000_000_000
"""The time before tiles were seen gone in which pictures may show the hand that lifts them."""


def _with(shots: Sequence[Shot], role: str) -> int:
    """Return the index of the first picture with a role; -1 if there is none."""
    return next((at for at, shot in enumerate(shots) if role in shot.roles), -1)


def _lifting(shots: Sequence[Shot], changed: int) -> list[int]:
    """Return the pictures from just before tiles were seen to have changed: the first, the middle.

    The board was at rest when the change was seen, so those before it show the hand.
    """
    until_ns = shots[changed].t_ns
    before = [at for at in range(changed) if until_ns - shots[at].t_ns <= _LIFTED_NS]
    before = [at for at in before if shots[at].from_press_ns > 0]
    hand = [at for at in before if "changing" in shots[at].roles]
    return hand or [*before[len(before) // 2 :][:1], *before[:1]]


def _entered(one: TurnStory) -> Iterator[int]:
    """Yield the last picture before each entry on the turn, and the first after it."""
    for decision in one.decisions:
        last = _last_by(one.shots, decision.entered_ns)
        yield from (last, last + 1)


def _pressed_later(one: TurnStory) -> Iterator[int]:
    """Yield the last picture before each press after the turn's own."""
    for ns, _ in one.presses:
        if ns > 0:
            yield _last_by(one.shots, one.turn.press_ns + ns)


def _last_by(shots: Sequence[Shot], t_ns: int) -> int:
    """Return the index of the last picture by a moment; -1 if there is none."""
    return sum(shot.t_ns <= t_ns for shot in shots) - 1


def _between(shots: Sequence[Shot], chosen: Sequence[int]) -> Iterator[int]:
    """Yield the pictures that are not chosen, each the farthest in time from all before it."""
    have = [shots[at].t_ns for at in chosen]
    left = [at for at in range(len(shots)) if at not in chosen]
    while left:
        far = max(left, key=lambda at: min((abs(shots[at].t_ns - t) for t in have), default=0))
        left.remove(far)
        have.append(shots[far].t_ns)
        yield far


def on_paper(one: TurnStory) -> str:
    """Return how a turn is printed: on one page, or the pictures on a page of their own.

    ``long``: there is so much to say of it that its boards are printed small; ``full``: so much
    that the sum stands beside them.
    """
    little = not one.decisions and not one.went and len(one.flags) <= (0 if one.sum else _FEW)
    if little or not one.shots:
        return "one-page"
    words = len(one.sum.words) if one.sum else 0
    much = 2 * len(one.decisions) + len(one.flags) + words
    return "long full" if much > 2 * _MANY else "long" if much > _MANY else "two-pages"


_FEW: Final = 2
_MANY: Final = 4


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
