"""The event of a whole hall: the pairings' file, and the results that have come in since."""

from __future__ import annotations

from dashboard.event import Event, Results, Source
from dashboard.overlay.style import load_theme
from hub.service import HubService
from table.pairings.details import plain


def event_of(service: HubService) -> Event:
    """The event that a hub's configuration tells of. Raises ``TilewatchError``."""
    config = service.config
    theme = load_theme(config.serve.theme) if config.serve.theme is not None else None
    return Event(Source(config.pairings, config.name, lambda _: settled_results(service)), theme)


def settled_results(service: HubService) -> Results:
    """The results of games that were played, and count for a round.

    Where the public sees the games late, those alone whose end it has seen.
    """
    is_public = service.tables.may_be_told
    return {
        (round_, pair): {
            plain(result.left): result.left_score,
            plain(result.right): result.right_score,
        }
        for (round_, pair), result in service.binding().counting.items()
        # What a forfeit is worth is for the director to enter.
        if result.counts and result.outcome == "played" and is_public(result.table, result.seq)
    }
