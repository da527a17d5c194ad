"""From video to sightings: motion, stillness, appearance, and what is believed of each square."""
