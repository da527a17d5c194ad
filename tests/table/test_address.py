"""What a phone is told of where the pages are."""

from __future__ import annotations

import socket

from table.address import in_the_network


class Route:
    """A socket of a machine with one way out, or with none."""

    def __init__(self, address):
        self.address = address

    def __call__(self, family, kind):
        assert kind == socket.SOCK_DGRAM  # of such a one connecting sends nothing
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def connect(self, _):
        if self.address is None:
            raise OSError("Network is unreachable")

    def getsockname(self):
        return self.address, 40000


def test_a_table_for_all_is_told_by_its_address_in_the_network(monkeypatch):
    monkeypatch.setattr(socket, "socket", Route("192.168.1.7"))
    for host in ("0.0.0.0", "::", ""):
        assert in_the_network("http://127.0.0.1:8000", host) == "http://192.168.1.7:8000"


def test_any_other_and_one_without_a_network_is_told_as_it_is(monkeypatch):
    monkeypatch.setattr(socket, "socket", Route(None))
    assert in_the_network("http://[::1]:8000", "::") == "http://[::1]:8000"
    monkeypatch.setattr(socket, "socket", Route("192.168.1.7"))
    assert in_the_network("http://127.0.0.1:8000", "127.0.0.1") == "http://127.0.0.1:8000"
