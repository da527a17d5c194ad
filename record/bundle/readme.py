"""The read-me of a bundle."""

from __future__ import annotations

from record.chain import LoggedEvent
from record.signing import digest, fingerprint

_README = """\
This is the evidence of one game of Scrabble, as a tilewatch table recorded it.

To look at it:  unpack the whole bundle and open index.html in a browser.
To check it:    tilewatch verify <the bundle>
                or, with nothing but Python and its cryptography package,
                python verify_bundle.py <the bundle>   (in docs/ of tilewatch)

Key of the table:       {key}
Digest of the last event: {digest}

Compare both with the result slip. docs/evidence.md of tilewatch says what every file here is, how
each is checked, and what such a check cannot show.
"""


def readme(key: str, last: LoggedEvent) -> bytes:
    """The text, with what is to be compared with the result slip."""
    return _README.format(key=fingerprint(key), digest=digest(last.hash)).encode()
