"""Many tables in one room: their logs mirrored over MQTT, one hub over all of them."""
