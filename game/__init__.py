"""The rules as pure code: board, tile sets, plays, scoring, clocks, game records.

Nothing here reads a file that did not ship with it, a clock or a camera.
"""
