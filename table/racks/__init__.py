"""Racks: what cameras or people see on them, sealed until the game is over.

``known`` seals what was seen into events, and tells a holder of the broadcast role which tiles are
on each rack; ``history`` follows racks through a game's turns and finds what does not agree.
"""
