"""The API, version 1: states, event streams, and the log and pictures for disputes, as JSON.

A program's request comes in, and JSON goes out in the shapes of
:mod:`dashboard.api.schemas`. Each address is declared beside its view
(:func:`dashboard.api.openapi.operation`), and the OpenAPI document is made of these declarations.
Nothing here decides who may see what (:mod:`dashboard.access`).
"""
