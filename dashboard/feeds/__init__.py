"""Views of a game as messages: numbered from the log, delayed, or narrowed to a part.

A table's log comes in, folded, and for each audience a series of views goes out that pages can
resume. Nothing here knows of HTTP.
"""
