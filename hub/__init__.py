"""Many tables in one room: their logs mirrored over MQTT, and one hub over all of them.

In come the tables' records and messages (``hub.wire``), directors' requests from the pages, and a
file of pairings. Out go the hall's pages (``hub.pages``, ``hub.public_pages``), results as files,
backups and evidence bundles, and requests to the tables. :class:`hub.service.HubService` wires the
parts together; :class:`hub.hub.Hub` only mirrors the logs. ``hub.table_side`` is the table's end of
the connection, and ``hub.broker`` runs mosquitto. A hub may not import cameras, their readers or
simulated tables; a table works without any hub.
"""
