"""Overlays for a stream: transparent pages, each for a slot that shows some table.

An address comes in, with a slot, a style and perhaps a delay and a token; a page, its views and the
tournament's details go out. :mod:`dashboard.overlay.slots` says which table a slot shows.
"""
