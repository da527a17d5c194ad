"""The read-me of a bundle, and its keys in words."""

from __future__ import annotations

from record.chain import LoggedEvent
from record.seals import digest, fingerprint

_README = """\
This is the evidence of one game of Scrabble, as a tilewatch table recorded it.

To look at it:  unpack the whole bundle and open index.html in a browser.
To check it:    tilewatch verify <the bundle>
                or, with nothing but Python and its cryptography package,
                python verify_bundle.py <the bundle>   (it is in here)
                <the bundle> is the file as it was given to you, or the folder
                into which it was unpacked.

Key of the table:       {key}
Digest of the last event: {digest}

The key has to be the one that was noted for the table. The digest on a result slip is that of the
event with which the game ended or was signed: where events followed it (pictures, a ruling), the
last event lawfully has another. Let the check find the slip's:

                tilewatch verify <the bundle> --key <the key noted> --digest <the slip's>

It says which event has it, and how many follow. docs/evidence.md of tilewatch says what every file
here is, how each is checked, and what such a check cannot show.
"""


def readme(key: str, last: LoggedEvent) -> bytes:
    """The text, with what is to be compared with the result slip."""
    return _README.format(key=key_of_table(key, last), digest=digest(last.hash)).encode()


def key_of_table(key: str, last: LoggedEvent) -> str:
    """The fingerprint of the key that signed a game's last event.

    Where another key signed the bundle, such as that of a hub with a copy of the log, that one's
    fingerprint too.
    """
    if key == last.key:
        return fingerprint(key)
    return f"{fingerprint(last.key)} (the bundle is signed with {fingerprint(key)})"
