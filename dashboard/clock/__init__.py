"""The players' clock: a page that is the clock itself, on a phone between the players.

Presses and clocks come in and go out by its pages; when a press counts is decided here.
"""
