"""Who may do what: accounts, logging in, sessions, and what guards every request.

A request comes in; :mod:`dashboard.accounts.guard` refuses it or says whose it is. Accounts are
made by ``tilewatch accounts``. Nothing here knows of tables or games.
"""
