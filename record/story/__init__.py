"""The account of a game: its events, folded, for people who were not there.

In come the events as logged, and the raw edges of the clock; out goes a :class:`Story`: turns with
their sums, incidents, decisions, clocks, tiles, and each event in words. It is pure, knows no
HTML, and may import neither bundles nor the verifier.
"""

from record.story.entries import Entry, Step, steps_of
from record.story.story import Story, tell

__all__ = ["Entry", "Step", "Story", "steps_of", "tell"]
