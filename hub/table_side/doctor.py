"""A check of the table's connection to its hub, for ``tilewatch doctor``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hub.table_side.connector import Membership
from hub.table_side.joining import broker_trouble
from table.doctor.check import Check, fine, wrong


def hub_checks(folder: Path, *, running: bool) -> Iterator[Check]:
    """Check that the hub's broker lets the table in; yield nothing for a table without a hub.

    ``running``: a table is at work here. It would lose its own connection if another logged in by
    its name, so only the broker's certificate is looked at. Raises ``HubError``.
    """
    member = Membership.load(folder)
    if member is None:
        return
    trouble = broker_trouble(member, folder, log_in=not running)
    if trouble is not None:
        yield wrong(
            "hub", trouble, "mend that, or take the table out of the hall: tilewatch join --leave"
        )
    else:
        done = "answers" if running else "lets this table in"
        yield fine("hub", f"the broker at {member.host} port {member.port} {done}")
