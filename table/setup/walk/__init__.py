"""``tilewatch setup``: the walk from a bare machine to a table that keeps score.

Each step asks what it has to know, checks it on the machine, writes a picture, and names one remedy
at a time. What was done is kept beside the data, so that the walk can be broken off.
"""
