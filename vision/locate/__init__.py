"""Locates the board in a picture: a coarse search, then a fit of the line lattice."""
