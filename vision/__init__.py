"""From a picture to a reading: locate the board, rectify it, classify its squares.

``reader.BoardReader`` takes a picture (uint8 BGR) and returns a ``reading.Reading``: the board's
corners, the posterior of each square, and findings. ``locate`` finds the grid,
``square_classifier`` classifies the crops, ``decode`` turns class probabilities into symbols,
``board_context`` and ``empty_board`` weigh colours, ``light`` models what a change of light does.
``tracking`` follows the board through a game.

The room imports ``game`` and, in ``tracking``, the types of ``sensors.interfaces``.
"""
