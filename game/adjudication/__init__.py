"""A director's work on a game: what may be done about a flag, and what each act would change.

A state and a flag come in; out go offers with the events that carry them out (``remedies``, from
the rulebook's text in ``reported`` and from the answers to a flag's question in ``answers`` and
``likely_plays``), or the difference that an event would make (``preview``). ``entries`` refuses
what is certainly mistaken before it is entered, and ``blank_letters`` suggests letters from a word
list. Nothing is logged or kept here, and no other room is imported.
"""
