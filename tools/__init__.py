"""Tools that only a checkout has: random tables, the weights' making, and films.

These programs may import every room. No room imports them, and the wheel that a table installs
does not have them. They run as ``python -m tools.train``, ``tools.film`` and
``tools.scenes.contact_sheet``.
"""
