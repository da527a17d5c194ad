"""Games followed on Woogles: what a table knows is sent as it settles, with nobody at a keyboard.

``mapping`` turns a game record into the events of a Woogles game, ``document`` reads and makes its
documents, and ``compare`` finds the next call that brings a document nearer to the record: these
are pure. ``client`` makes the calls, ``slot`` finds or claims the game, and ``follow`` is the loop.
Nothing is remembered that a document says: each step begins with what Woogles has.
"""
