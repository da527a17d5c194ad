"""The account of a game: its events, folded, for people who were not there."""

from record.story.entries import Entry, Step, steps_of
from record.story.story import Story, tell

__all__ = ["Entry", "Step", "Story", "steps_of", "tell"]
