"""Makes presses of the raw edges of a contact. Pure code.

A contact that closes or opens bounces for some milliseconds. A press begins at the first edge of
such a burst and is stamped there. It counts as soon as the contact has been closed for
``least_ns`` in all, so a 5 ms press counts and a spike of static does not. The next press can only
begin once the contact has been open without an edge for ``quiet_ns``.

Nothing is lost silently: presses that are dropped or odd are reported (``TroubleNoted``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from game.events import Button, TroubleNoted
from game.troubles import TroubleCode, make_trouble, trouble_over
from sensors.interfaces import Press

MS: Final = 1_000_000
ClockButton: TypeAlias = Button | Literal["call"]
"""The clock's buttons and the one that calls the director."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A contact that closed (``closed``) or opened, stamped at the edge."""

    button: ClockButton
    closed: bool
    t_ns: int


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of the debounce, in nanoseconds."""

    least_ns: int = 1 * MS
    """A contact closed for less than this in all is a spike, not a press."""
    quiet_ns: int = 20 * MS
    """After this long open and without an edge, the next edge is a new press."""
    double_ns: int = 300 * MS
    """Two presses of one button within this time count as one."""
    both_ns: int = 50 * MS
    """Left and right pressed within this time are one blow on both buttons."""
    stuck_ns: int = 3_000 * MS
    """A contact closed for this long is stuck."""


class Contact:
    """The debounce of one contact. Feed it edges in order, and ``at`` whenever time has passed."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._closed = False
        self._last_ns = 0
        """The time of the newest edge."""
        self._begun_ns: int | None = None
        """The first edge of the burst or press that is under way."""
        self._closed_ns = 0
        """The time for which the contact was closed from ``_begun_ns`` to the newest edge."""
        self._reported = False
        self.stuck = False

    def edge(self, closed: bool, t_ns: int) -> int | None:
        """Take an edge; return the start of a press once, as soon as it is known to be one."""
        found = self.at(t_ns)
        if closed == self._closed:
            return found  # the edge between was lost: the level is what counts
        if self._closed:
            self._closed_ns += t_ns - self._last_ns
        if closed and self._begun_ns is None:
            self._begun_ns, self._closed_ns, self._reported = t_ns, 0, False
        self._closed, self._last_ns, self.stuck = closed, t_ns, False
        return found

    def at(self, now_ns: int) -> int | None:
        """Let time pass; return the start of a press once, as soon as it is known to be one."""
        found = None
        if self._begun_ns is not None and not self._reported:
            closed_ns = self._closed_ns + (now_ns - self._last_ns if self._closed else 0)
            if closed_ns >= self._timing.least_ns:
                self._reported, found = True, self._begun_ns
        if not self._closed and now_ns - self._last_ns >= self._timing.quiet_ns:
            self._begun_ns = None
        self.stuck = self.long_closed(now_ns)
        return found

    def long_closed(self, now_ns: int) -> bool:
        """Return True if the contact has been closed for at least ``stuck_ns``."""
        return self._closed and now_ns - self._last_ns >= self._timing.stuck_ns

    def held(self, t_ns: int) -> None:
        """Note that the contact was closed before the start: no press, but it may be stuck."""
        self._closed, self._last_ns, self._reported = True, t_ns, True

    def undecided_ns(self) -> int | None:
        """Return the first edge of a burst that may still become a press; None if there is none."""
        return None if self._reported else self._begun_ns

    def due_ns(self) -> int | None:
        """Return when ``at`` must be called if no edge comes before; None if it need not be."""
        if self._closed:
            if not self._reported:
                return self._last_ns + self._timing.least_ns - self._closed_ns
            return None if self.stuck else self._last_ns + self._timing.stuck_ns
        return None if self._begun_ns is None else self._last_ns + self._timing.quiet_ns


class PressFilter:
    """Merges double presses and reports odd ones, by their times. Feed it presses in order."""

    def __init__(self, timing: Timing | None = None) -> None:
        self._timing = timing or Timing()
        self._pressed: dict[ClockButton, int] = {}
        self._last_side: Press | None = None

    def press(self, button: ClockButton, t_ns: int) -> list[Press | TroubleNoted]:
        """Return the press, if it counts, and a report if it is odd; of a call only a report."""
        before, self._pressed[button] = self._pressed.get(button), t_ns
        if before is not None and t_ns - before < self._timing.double_ns:
            return [_report("button_double", button, t_ns)]
        if button == "call":
            return [make_trouble("director_called", "the director is called", t_ns)]
        press = Press(button, t_ns)
        if button == "neutral":
            self._last_side = None  # either player may start the clock again
            return [press]
        found: list[Press | TroubleNoted] = [press]
        last, self._last_side = self._last_side, press
        if last is not None and last.button == button:
            found.append(_report("button_same_side", button, t_ns))
        elif last is not None and t_ns - last.t_ns < self._timing.both_ns:
            found.append(_report("button_both", button, t_ns))
        return found


class Debouncer:
    """The debounce of all contacts of a table."""

    def __init__(self, buttons: tuple[ClockButton, ...], timing: Timing | None = None) -> None:
        self._timing = timing or Timing()
        self._contacts = {button: Contact(self._timing) for button in buttons}
        self._stuck: set[ClockButton] = set()
        self._filter = PressFilter(self._timing)
        self._waiting: list[tuple[int, ClockButton]] = []
        """Presses that wait while another contact may turn out to have been pressed earlier."""

    def edge(self, edge: Edge) -> list[Press | TroubleNoted]:
        """Take an edge; return the presses and reports known by now, in order of time."""
        self._advance(edge.t_ns, but=edge.button)
        self._queue(edge.button, self._contacts[edge.button].edge(edge.closed, edge.t_ns))
        return self._ready() + self._stuck_reports(edge.t_ns)

    def held(self, button: ClockButton, t_ns: int) -> None:
        """Note that a contact was closed before the start: no press, but it may be stuck."""
        self._contacts[button].held(t_ns)

    def at(self, now_ns: int) -> list[Press | TroubleNoted]:
        """Let time pass; return the presses and reports known by now, in order of time."""
        self._advance(now_ns)
        return self._ready() + self._stuck_reports(now_ns)

    def seem_stuck(self, now_ns: int) -> list[ClockButton]:
        """Return the contacts that ``at`` would report as stuck, to check their pins first."""
        return [button for button, contact in self._contacts.items() if contact.long_closed(now_ns)]

    def due_ns(self) -> int | None:
        """Return when ``at`` must be called if no edge comes before; None if it need not be."""
        times = [due for contact in self._contacts.values() if (due := contact.due_ns())]
        return min(times, default=None)

    def _advance(self, now_ns: int, but: ClockButton | None = None) -> None:
        for button, contact in self._contacts.items():
            if button != but:
                self._queue(button, contact.at(now_ns))

    def _queue(self, button: ClockButton, t_ns: int | None) -> None:
        if t_ns is not None:
            self._waiting.append((t_ns, button))

    def _ready(self) -> list[Press | TroubleNoted]:
        """Take the waiting presses that no other can precede any more; return them and reports."""
        begun = [
            t for contact in self._contacts.values() if (t := contact.undecided_ns()) is not None
        ]
        ready = sorted(one for one in self._waiting if not begun or one[0] <= min(begun))
        self._waiting = [one for one in self._waiting if one not in ready]
        return [found for t_ns, button in ready for found in self._filter.press(button, t_ns)]

    def _stuck_reports(self, now_ns: int) -> list[Press | TroubleNoted]:
        reports: list[Press | TroubleNoted] = []
        for button, contact in self._contacts.items():
            if contact.stuck and button not in self._stuck:
                self._stuck.add(button)
                line = f"{button} is stuck: look at the button and its wire"
                reports.append(make_trouble("button_stuck", line, now_ns, button))
            elif button in self._stuck and not contact.stuck:
                self._stuck.discard(button)
                line = f"{button} is no longer stuck"
                reports.append(trouble_over("button_stuck", now_ns, button, line))
        return reports


_ODD: Final[dict[TroubleCode, str]] = {
    "button_double": "{} pressed twice at once: taken as one press",
    "button_both": "both clock buttons at once, {} second: taken as one press",
    "button_same_side": "{} pressed again though the other side has not pressed since",
}


def _report(code: TroubleCode, button: str, t_ns: int) -> TroubleNoted:
    return make_trouble(code, _ODD[code].format(button), t_ns, button)
