"""Watches a running table: its pictures, its pace, its devices and its troubles.

In come frames, the signs of life of each device and the table's time. Out come troubles, for the
log and the desk (``monitor``), the stretches without pictures (``lost_pictures``) and the heartbeat
for systemd (``watchdog``). ``limits`` has all times after which silence is a fault. It imports no
page, no device and no other room of the table but the session.
"""
