"""Word of new turns and flags, sent to addresses that a director gave."""
