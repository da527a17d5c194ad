"""Where the board is, and how it looks empty."""
