"""The pages and the API, served from the event log."""
