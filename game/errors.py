"""The one exception root of the package."""


class TilewatchError(Exception):
    """An error that the user can mend: one line that names the thing and the remedy."""
