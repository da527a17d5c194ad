"""The record of a table: the data that a table keeps on its disk and hands on.

In come events (``game.events``) and pictures as JPEG. Out go the log with its hashes and signatures
(``record.log``), the evidence pictures, the account of a game (``record.story``, and as HTML in
``record.story_html``), bundles and their check (``record.bundle``, ``record.verifier``), backups,
and the deletion of old pictures. It folds games by ``game`` and takes pictures' types from
``sensors`` and ``vision``. It reads no board and serves no page: it may not import models,
calibration, simulation, the table, the dashboard or the hub.
"""
