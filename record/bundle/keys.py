"""The keys of a bundle in words."""

from __future__ import annotations

from record.chain import LoggedEvent
from record.signing import fingerprint


def key_of_table(key: str, last: LoggedEvent) -> str:
    """The fingerprint of the key that signed a game's last event.

    Where another key signed the bundle, such as that of a hub with a copy of the log, that one's
    fingerprint too.
    """
    if key == last.key:
        return fingerprint(key)
    return f"{fingerprint(last.key)} (the bundle is signed with {fingerprint(key)})"
