"""What could have been played: plays of a rack, chances of draws, the end of a game, engines.

Everything here is computed from a board, racks and a word list that are given; nothing is read from
a game's log, a disk or a clock. :mod:`analysis.engine` alone runs a program.
"""
