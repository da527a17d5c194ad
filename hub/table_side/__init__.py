"""A table's end of the connection to its hub: enrolment, log, requests and pictures.

In come the table's log, desk and pictures, and the hub's messages; out go records, facts, answers
and pieces of pictures. Nothing here may hold up the table's own loop, and nothing imports the hub's
store or pages.
"""
