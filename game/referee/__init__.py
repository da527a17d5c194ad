"""One turn at a time: what was played, what is wrong with it, and what it scores."""
