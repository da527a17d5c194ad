"""The event around a game: title and logo, flags and ratings, standings, the next pairing."""
