"""The commentators' page: racks, plays, chances, the end of a game. After it everybody sees them.

Racks are secret while a game goes on. :mod:`dashboard.commentary.seat` says who may be answered,
and nothing else in the dashboard reads racks.
"""
