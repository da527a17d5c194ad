"""Messages about new turns and flags, sent to addresses that a director gave.

Views come in from the feeds, and signed messages go out, each repeated until it is accepted.
Nothing at the table waits for them.
"""
