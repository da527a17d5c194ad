"""The account of a game as HTML that needs no script: for bundles and for the director's pages.

In come a :class:`record.story.Story` and a source of pictures; out go elements for a page, and the
style sheet for them. It may import neither bundles nor the verifier.
"""

from importlib import resources


def story_css() -> str:
    """Return the style sheet; it styles only the contents of elements of class ``story``."""
    return resources.files("record.story_html").joinpath("assets", "story.css").read_text("utf-8")
