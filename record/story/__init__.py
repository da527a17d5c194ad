"""The account of a game: its events, folded, as people who were not there need to be told them."""

from record.story.entries import Entry
from record.story.story import Story, tell

__all__ = ["Entry", "Story", "tell"]
