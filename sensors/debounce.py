"""From the raw edges of a contact to presses, as pure code.

A contact that closes or opens bounces for some milliseconds. A press begins at the first edge of
such a burst and is stamped there. It counts as soon as the contact has been closed for
``least_ns`` in all, so a 5 ms press counts and a spike of static does not. Nothing more is taken
for a press until the contact has been open and quiet for ``quiet_ns``.

Nothing is lost silently: presses that are dropped or odd are told as ``ButtonFault``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar

from sensors.interfaces import Button

MS: Final = 1_000_000
Key = TypeVar("Key", bound=str)
ButtonFaultCode = Literal["double", "both", "same_side", "stuck", "freed"]


@dataclass(frozen=True, slots=True)
class Edge(Generic[Key]):
    """A contact closed (``closed``) or opened, stamped at that very edge."""

    button: Key
    closed: bool
    t_ns: int


@dataclass(frozen=True, slots=True)
class ButtonFault:
    """Something odd about the buttons, to be said."""

    code: ButtonFaultCode
    button: str
    t_ns: int

    @property
    def message(self) -> str:
        """One line for a person."""
        return {
            "double": f"{self.button} pressed twice at once: taken as one press",
            "both": f"both clock buttons at once, {self.button} second: taken in order of time",
            "same_side": f"{self.button} pressed again though the other side has not pressed since",
            "stuck": f"{self.button} is stuck: look at the button and its wire",
            "freed": f"{self.button} is no longer stuck",
        }[self.code]


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of the debounce, in nanoseconds."""

    least_ns: int = 1 * MS
    """Closed for less than this in all is a spike, not a press."""
    quiet_ns: int = 20 * MS
    """Open and without an edge for this long: the next edge is a new press."""
    double_ns: int = 300 * MS
    """The same button again within this of its last press is one press."""
    both_ns: int = 50 * MS
    """Left and right within this are one blow on both."""
    stuck_ns: int = 3_000 * MS
    """Closed for this long is stuck."""


class Contact:
    """One contact. Feed it edges in order of time, and ``at`` whenever time has passed."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._closed = False
        self._last_ns = 0
        """Time of the newest edge."""
        self._begun_ns: int | None = None
        """The first edge of the burst or press in hand."""
        self._shut_ns = 0
        """How long the contact has been closed since then, up to the newest edge."""
        self._told = False
        self.stuck = False

    def edge(self, closed: bool, t_ns: int) -> int | None:
        """Take an edge; the start of a press that is known to be one by now, once."""
        found = self.at(t_ns)
        if closed == self._closed:
            return found  # the edge between was lost: the level is what counts
        if self._closed:
            self._shut_ns += t_ns - self._last_ns
        if closed and self._begun_ns is None:
            self._begun_ns, self._shut_ns, self._told = t_ns, 0, False
        self._closed, self._last_ns, self.stuck = closed, t_ns, False
        return found

    def at(self, now_ns: int) -> int | None:
        """Let time pass; the start of a press that is known to be one by now, once."""
        found = None
        if self._begun_ns is not None and not self._told:
            shut = self._shut_ns + (now_ns - self._last_ns if self._closed else 0)
            if shut >= self._timing.least_ns:
                self._told, found = True, self._begun_ns
        if not self._closed and now_ns - self._last_ns >= self._timing.quiet_ns:
            self._begun_ns = None
        self.stuck = self.long_shut(now_ns)
        return found

    def long_shut(self, now_ns: int) -> bool:
        """Whether it has been closed for as long as a stuck one."""
        return self._closed and now_ns - self._last_ns >= self._timing.stuck_ns

    def held(self, t_ns: int) -> None:
        """It is closed since before anybody looked: no press, but it may be stuck."""
        self._closed, self._last_ns, self._told = True, t_ns, True

    def undecided_ns(self) -> int | None:
        """The first edge of a burst of which it is not known yet whether it is a press."""
        return None if self._told else self._begun_ns

    def due_ns(self) -> int | None:
        """When ``at`` has something to do, if no edge comes before; None: never."""
        if self._closed:
            if not self._told:
                return self._last_ns + self._timing.least_ns - self._shut_ns
            return None if self.stuck else self._last_ns + self._timing.stuck_ns
        return None if self._begun_ns is None else self._last_ns + self._timing.quiet_ns


@dataclass(frozen=True, slots=True)
class DebouncedPress(Generic[Key]):
    """A press of a contact, stamped at its first edge."""

    button: Key
    t_ns: int


class PressFilter(Generic[Key]):
    """Tells presses that are one, or odd, by their times alone. Feed it presses in order."""

    def __init__(self, timing: Timing | None = None) -> None:
        self._timing = timing or Timing()
        self._pressed: dict[Key, int] = {}
        self._last_side: DebouncedPress[Key] | None = None

    def press(self, button: Key, t_ns: int) -> list[DebouncedPress[Key] | ButtonFault]:
        """The press, if it is one, and what is odd about it."""
        before, self._pressed[button] = self._pressed.get(button), t_ns
        if before is not None and t_ns - before < self._timing.double_ns:
            return [ButtonFault("double", button, t_ns)]
        press = DebouncedPress(button, t_ns)
        if button == "neutral":
            self._last_side = None  # whoever starts the clock again may be either
        if button not in ("left", "right"):
            return [press]
        told: list[DebouncedPress[Key] | ButtonFault] = [press]
        last, self._last_side = self._last_side, press
        if last is not None and last.button == button:
            told.append(ButtonFault("same_side", button, t_ns))
        elif last is not None and t_ns - last.t_ns < self._timing.both_ns:
            told.append(ButtonFault("both", button, t_ns))
        return told


class Debouncer(Generic[Key]):
    """All the contacts of a table."""

    def __init__(self, buttons: tuple[Key, ...], timing: Timing | None = None) -> None:
        self._timing = timing or Timing()
        self._contacts = {button: Contact(self._timing) for button in buttons}
        self._stuck: set[Key] = set()
        self._filter: PressFilter[Key] = PressFilter(self._timing)
        self._held: list[tuple[int, Key]] = []
        """Presses that wait for a contact that may yet turn out to have been pressed earlier."""

    def edge(self, edge: Edge[Key]) -> list[DebouncedPress[Key] | ButtonFault]:
        """Take an edge; what is known by now, in order of time."""
        self._pass(edge.t_ns, but=edge.button)
        self._hold(edge.button, self._contacts[edge.button].edge(edge.closed, edge.t_ns))
        return self._release() + self._look(edge.t_ns)

    def held(self, button: Key, t_ns: int) -> None:
        """A contact is closed from the start: that is no press, but it may be stuck."""
        self._contacts[button].held(t_ns)

    def at(self, now_ns: int) -> list[DebouncedPress[Key] | ButtonFault]:
        """Let time pass; what is known by now, in order of time."""
        self._pass(now_ns)
        return self._release() + self._look(now_ns)

    def seem_stuck(self, now_ns: int) -> list[Key]:
        """Contacts that ``at`` would call stuck now: their pins had better be asked first."""
        return [button for button, contact in self._contacts.items() if contact.long_shut(now_ns)]

    def due_ns(self) -> int | None:
        """When ``at`` should be called, if no edge comes before; None: not at all."""
        times = [due for contact in self._contacts.values() if (due := contact.due_ns())]
        return min(times, default=None)

    def _pass(self, now_ns: int, but: Key | None = None) -> None:
        for button, contact in self._contacts.items():
            if button != but:
                self._hold(button, contact.at(now_ns))

    def _hold(self, button: Key, t_ns: int | None) -> None:
        if t_ns is not None:
            self._held.append((t_ns, button))

    def _release(self) -> list[DebouncedPress[Key] | ButtonFault]:
        """The held presses before which no other can come any more."""
        begun = [
            t for contact in self._contacts.values() if (t := contact.undecided_ns()) is not None
        ]
        ready = sorted(held for held in self._held if not begun or held[0] <= min(begun))
        self._held = [held for held in self._held if held not in ready]
        return [told for t_ns, button in ready for told in self._filter.press(button, t_ns)]

    def _look(self, now_ns: int) -> list[DebouncedPress[Key] | ButtonFault]:
        told: list[DebouncedPress[Key] | ButtonFault] = []
        for button, contact in self._contacts.items():
            if contact.stuck and button not in self._stuck:
                self._stuck.add(button)
                told.append(ButtonFault("stuck", button, now_ns))
            elif button in self._stuck and not contact.stuck:
                self._stuck.discard(button)
                told.append(ButtonFault("freed", button, now_ns))
        return told


ClockButton = Button | Literal["call"]
"""The clock's buttons and the one that calls the director."""
