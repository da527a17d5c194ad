"""Watches a running table: its pictures, its pace, its devices and its troubles.

In come frames, the signs of life of each device and the table's time. Out come troubles, for the
log and the desk (``monitor``), the times without pictures (``lost_pictures``) and the heartbeat for
systemd (``watchdog``). ``limits`` has all times after which silence is a fault. Of the table's
modules only the session is imported here, and no page or device.
"""
