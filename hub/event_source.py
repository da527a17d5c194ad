"""The event of a whole hall: the pairings' file, and the results that have come in since."""

from __future__ import annotations

from dashboard.event.event import Event, Results, Source
from dashboard.event.theme import load_theme
from hub.results import Result
from hub.service import HubService
from table.pairings.names import plain


def event_of(service: HubService) -> Event:
    """The event that a hub's configuration tells of. Raises ``TilewatchError``."""
    config = service.config
    theme = load_theme(config.serve.theme) if config.serve.theme is not None else None
    return Event(Source(config.pairings, config.name, lambda _: settled_results(service)), theme)


def settled_results(service: HubService) -> Results:
    """The results of games that were played, and count for a round.

    Where the public sees the games late, those alone whose end it has seen.
    """
    shown = _shown(service) if service.config.public.behind else None
    return {
        (round_, pair): {
            plain(result.left): result.left_score,
            plain(result.right): result.right_score,
        }
        for (round_, pair), result in service.binding().counting.items()
        # What a forfeit is worth is for the director to enter.
        if result.counts and result.outcome == "played" and _may_be_told(result, shown)
    }


def _shown(service: HubService) -> dict[str, int]:
    """The newest record of each table that the public has seen."""
    newest = {table.id: table.public.latest() for table in service.site.tables}
    return {table: message.seq for table, message in newest.items() if message is not None}


def _may_be_told(result: Result, shown: dict[str, int] | None) -> bool:
    return shown is None or result.seq <= shown.get(result.table, 0)
