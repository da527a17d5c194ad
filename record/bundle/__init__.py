"""Evidence bundles: one game in one file that anybody can check offline.

In come a log, the evidence pictures and the table's key; out goes a ZIP archive (``export``).
``archive`` has every byte of its form, ``manifest`` the form of its statements, and
``derived_files`` what people read in it and the verifier that it carries. Nothing is checked here
but the log itself: ``record.verifier`` checks bundles, and this may not import it.
"""
