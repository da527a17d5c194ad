"""Checks everything that a table needs, and names a remedy for each fault.

In come a configuration, a data folder and this machine. Out comes one ``Check`` after another, from
``run.checked``; there is a module for each subject. No check opens a camera or pins that a running
table uses. The modules of a running table do not import this package.
"""
