"""The API, version 1: state and event streams as JSON."""
