"""The broker beside a hub: mosquitto's process and files, its certificates, and who may connect.

In come the hub's configuration and the enrolled tables; out go a running broker, its address and
credentials, and incidents from its log. Nothing here reads a message of a table.
"""
