"""Rulebooks as data, each setting with its rule number.

``loading`` reads the files in ``game/data/rulebooks/`` into a ``Rulebook``, ``announcing`` puts in
the settings that an event announces, ``challenge`` alone computes the cost of an unsuccessful
challenge, and ``judging`` gives a flag the rule, the audience and the remedies of the rulebook in
force. Nothing here knows an event or a position.
"""
