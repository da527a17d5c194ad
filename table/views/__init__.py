"""The part of a game that each audience may see: a state comes in, a view goes out.

Nothing here reads a clock, a log or a request; the pages compute what depends on the present time.
"""
