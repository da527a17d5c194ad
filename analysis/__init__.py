"""The plays of a rack, the chances of draws, the end of a game, and engines.

Everything here is computed from a board, racks and a word list that are given; nothing is read from
a game's log, a disk or a clock. :mod:`analysis.engine` alone runs a program.
"""
