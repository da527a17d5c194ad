"""The API, version 1: states, event streams, and what a dispute is settled with, as JSON.

A request of a program comes in, and JSON goes out whose shapes stand in
:mod:`dashboard.api.schemas`. Each address is declared where it is answered
(:func:`dashboard.api.openapi.operation`), and the OpenAPI document is made of these declarations.
Nothing here decides who may see what (:mod:`dashboard.access`).
"""
