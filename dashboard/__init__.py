"""What people see: the pages and the API, served from the event log."""
