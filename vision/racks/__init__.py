"""Reading racks: finds the row of tiles in a picture, and reads it from left to right."""
