"""What commentators get: racks, plays, chances, the end of a game; and all of it after the game.

Racks are secret while a game goes on. :mod:`dashboard.commentary.seat` says who may be answered,
and nothing else in the dashboard reads racks.
"""
