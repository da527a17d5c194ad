"""A stand-in for OBS Studio: obs-websocket's protocol 5.x, with authentication.

As its own documentation has it (Hello, Identify, Identified, Request, RequestResponse): one thread
for each connection, over the WebSocket protocol (RFC 6455).
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import secrets
import socket
import struct
import threading
from dataclasses import dataclass, field
from typing import Any


def _hashed(*texts: str) -> str:
    return base64.b64encode(hashlib.sha256("".join(texts).encode()).digest()).decode()


@dataclass
class StandInObs:
    """Scenes, and which one is on air; a password, if one is asked for."""

    password: str = ""
    scenes: list[str] = field(default_factory=lambda: ["Board", "Hall", "Break"])
    on_air: str = "Board"
    identified: int = 0
    """Connections that proved to know the password."""

    def __post_init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._socket.getsockname()[1]}"

    def drop(self) -> None:
        """Close what is open, as an OBS that is restarted does."""
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._open.clear()

    def close(self) -> None:
        self.drop()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # it waits in another thread
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._shake_hands(connection)
            self._talk(connection)
        except (OSError, ValueError, KeyError, StopIteration):
            connection.close()

    def _shake_hands(self, connection: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            if not (more := connection.recv(4096)):
                raise ConnectionError("gone before it had asked")
            asked += more
        lines = dict(
            line.split(": ", 1) for line in asked.decode().split("\r\n")[1:] if ": " in line
        )
        key = lines["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )

    def _talk(self, connection: socket.socket) -> None:
        salt, challenge = secrets.token_hex(8), secrets.token_hex(8)
        hello: dict[str, Any] = {"obsWebSocketVersion": "5.5.4", "rpcVersion": 1}
        if self.password:
            hello["authentication"] = {"challenge": challenge, "salt": salt}
        _send(connection, 0, hello)
        identify = _receive(connection)
        assert identify["op"] == 1
        wanted = _hashed(_hashed(self.password, salt), challenge)
        if self.password and identify["d"].get("authentication") != wanted:
            connection.sendall(b"\x88\x02" + struct.pack(">H", 4009))  # authentication failed
            connection.close()
            return
        self.identified += 1
        _send(connection, 2, {"negotiatedRpcVersion": 1})
        while True:
            asked = _receive(connection)["d"]
            status, data = self._done(asked["requestType"], asked.get("requestData", {}))
            answer = {"requestType": asked["requestType"], "requestId": asked["requestId"]}
            _send(connection, 7, {**answer, "requestStatus": status, "responseData": data})

    def _done(self, request: str, data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        if request == "GetSceneList":
            scenes = [
                {"sceneIndex": at, "sceneName": name}
                for at, name in enumerate(reversed(self.scenes))
            ]
            found = {"currentProgramSceneName": self.on_air, "scenes": scenes}
            return {"result": True, "code": 100}, found
        if request == "SetCurrentProgramScene" and data["sceneName"] in self.scenes:
            self.on_air = data["sceneName"]
            return {"result": True, "code": 100}, {}
        return {"result": False, "code": 600, "comment": "No source was found by that name."}, {}


def _send(connection: socket.socket, op: int, data: dict[str, Any]) -> None:
    text = json.dumps({"op": op, "d": data}).encode()
    size = bytes([len(text)]) if len(text) < 126 else b"\x7e" + struct.pack(">H", len(text))
    connection.sendall(b"\x81" + size + text)


def _receive(connection: socket.socket) -> Any:
    head = _exactly(connection, 2)
    if head[0] & 0x0F == 8:
        raise OSError("closed")
    size = head[1] & 0x7F
    if size == 126:
        size = struct.unpack(">H", _exactly(connection, 2))[0]
    mask, text = _exactly(connection, 4), _exactly(connection, size)
    return json.loads(bytes(byte ^ mask[at % 4] for at, byte in enumerate(text)))


def _exactly(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise OSError("closed")
        found += more
    return found
