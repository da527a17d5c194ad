"""Why a bundle is refused."""


class Bad(Exception):
    """The first thing that is wrong: (place, what)."""


class Unusable(Exception):
    """No bundle at all, or not one that can be checked here."""
