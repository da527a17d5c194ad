"""Evidence bundles: one game in one file that anybody can check offline.

In come a log, the evidence pictures and the table's key; out goes a ZIP archive (``export``).
``archive`` has every byte of its form, ``page`` what people read in it, and ``verifier_program``
the verifier that it carries. Nothing is checked here but the log itself: that is
``record.verifier``, which this may not import.
"""
