"""The show: what one person puts on air, slot by slot, and what they are offered.

The control page's requests come in; the state that overlays follow, the tables that a rule
proposes, the pictures of a play and orders to OBS Studio go out. The overlays draw what is on air.
"""
