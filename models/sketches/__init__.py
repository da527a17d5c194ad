"""Quick sketches of tables with boards on them, to teach the locator where the grid is.

A sketch need not show a letter well enough to read. It must show every board, rim, table,
light and clutter that a camera may meet, and know exactly where the grid's corners are.
"""
