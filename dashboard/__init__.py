"""The pages and the API of a table, or of a hub's tables, served from the event log.

Logs, pictures and a desk to post to come in with each :class:`dashboard.site.Table`; pages, JSON
and event streams go out. It shows what was recorded: it imports no camera, no vision and no hub.
"""
