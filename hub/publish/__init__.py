"""The public site of an event as files, for any static host: what the hub shows everybody, no more.

Every file is an answer of the hub's own application to an anonymous reader.
"""
