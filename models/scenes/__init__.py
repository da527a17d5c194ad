"""The renderer: pictures of a table and its board, with their truth.

A :class:`SceneSpec` says how a table looks, fifteen rows what is on the board; a picture comes
out, with the grid's corners, each tile's pose, and what is covered. :class:`Renderer` keeps a table
for many frames. The simulated table shows these pictures, and the weights were trained on them:
``tools.scenes`` draws random tables for that, and has the fonts, the marks of blanks and the things
around a board that those alone have. Nothing here is random but by the seed of its table.
"""
