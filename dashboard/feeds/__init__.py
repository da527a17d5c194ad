"""Views of a game as messages: from the log, delayed, narrowed to one audience."""
