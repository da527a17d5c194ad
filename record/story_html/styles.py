"""The style of the account."""

from __future__ import annotations

from importlib import resources


def story_css() -> str:
    """The style sheet; it styles what stands in an element of the class ``story``."""
    return resources.files("record.story_html").joinpath("assets", "story.css").read_text("utf-8")
