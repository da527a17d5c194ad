"""A game's values one by one, for scenes of a stream that show text."""
