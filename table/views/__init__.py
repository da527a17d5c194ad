"""What each audience may see of a game."""
