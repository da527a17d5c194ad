"""Films: recordings in motion made of recordings of stills, by ``python -m tools.film``.

A recording with a photograph a turn comes in, and photographs of hands. Out comes a recording of
the same game in motion, with real boards, real hands and invented moves, and the truth of every
frame beside it.
"""
