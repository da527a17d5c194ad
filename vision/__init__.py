"""From a picture to a reading: find the board, rectify it, classify its squares."""
