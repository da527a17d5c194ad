"""Errors about a table's own records."""

from __future__ import annotations

from game.errors import TilewatchError


class LogError(TilewatchError):
    """The event log cannot be opened, read or added to: one line with the remedy."""


class EvidenceError(TilewatchError):
    """An evidence picture cannot be kept or found: one line with the remedy."""


class SigningError(TilewatchError):
    """The table's key cannot be used, or something is no key, fingerprint or digest."""


class BundleError(TilewatchError):
    """An evidence bundle cannot be made, or a file is no bundle: one line with the remedy."""


class BackupError(TilewatchError):
    """A table's data cannot be copied or restored: one line with the remedy."""
