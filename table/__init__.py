"""One table at work: the recorder, the event log and the ``tilewatch`` command."""
