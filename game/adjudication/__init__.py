"""A director's work on a game: what may be done about a flag, and what each act would change.

For a state and a flag, ``remedies`` returns offers with the events that carry them out. They come
from the rulebook's text (``reported``) and from the answers to a flag's question (``answers``,
``likely_plays``). ``preview`` returns what an event would change. ``entries`` refuses what is
certainly mistaken before it is entered, and ``blank_letters`` suggests letters from a word list.
Nothing is logged or stored here, and no other room is imported.
"""
