"""The MQTT broker of a hall, its access list and certificates."""
