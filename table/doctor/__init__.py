"""Looks at everything that a table needs, and says what to do where something is amiss.

In come a configuration, a data folder and this machine. Out comes one ``Check`` after another, of
``run.checked``; there is a module for each thing that is looked at. No check opens a camera or pins
that a running table has. Nothing that a table does while it plays imports this.
"""
