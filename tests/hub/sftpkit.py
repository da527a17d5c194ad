"""A server for SFTP over a folder, for whoever has its key."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from pathlib import Path

import paramiko


class _Door(paramiko.ServerInterface):
    def __init__(self, key: paramiko.PKey) -> None:
        self._key = key

    def get_allowed_auths(self, username):
        return "publickey"

    def check_auth_publickey(self, username, key):
        known = key == self._key and username == "event"
        return paramiko.AUTH_SUCCESSFUL if known else paramiko.AUTH_FAILED

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED


class _Files(paramiko.SFTPServerInterface):
    root = Path()

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def stat(self, path):
        try:
            return paramiko.SFTPAttributes.from_stat(self._at(path).stat())
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)

    lstat = stat

    def open(self, path, flags, attr):
        try:
            number = os.open(self._at(path), flags, 0o644)
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)
        handle = paramiko.SFTPHandle(flags)
        writes = flags & os.O_WRONLY or flags & os.O_RDWR
        handle.readfile = handle.writefile = os.fdopen(number, "wb" if writes else "rb")
        return handle

    def _do(self, act, *args) -> int:
        try:
            act(*args)
        except OSError as error:
            return paramiko.SFTPServer.convert_errno(error.errno)
        return paramiko.SFTP_OK

    def mkdir(self, path, attr):
        return self._do(self._at(path).mkdir)

    def remove(self, path):
        return self._do(self._at(path).unlink)

    def posix_rename(self, old, new):
        return self._do(self._at(old).replace, self._at(new))


class SftpServer:
    """Serves ``folder`` on a port of its own until it is closed; ``home`` is the user's."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._files = type("Files", (_Files,), {"root": folder})
        self._host = paramiko.RSAKey.generate(2048)
        own = paramiko.RSAKey.generate(2048)
        self._own = own
        ssh = home / ".ssh"
        ssh.mkdir(parents=True)
        own.write_private_key_file(str(ssh / "id_rsa"))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        known = f"[127.0.0.1]:{self.port} ssh-rsa {self._host.get_base64()}\n"
        (ssh / "known_hosts").write_text(known)
        self._transports: list[paramiko.Transport] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._listening.accept()
            except OSError:
                return
            transport = paramiko.Transport(one)
            transport.add_server_key(self._host)
            transport.set_subsystem_handler("sftp", paramiko.SFTPServer, self._files)
            self._transports.append(transport)
            with contextlib.suppress(paramiko.SSHException, EOFError):  # it was cut off
                transport.start_server(server=_Door(self._own))

    def sever(self) -> None:
        """Cut every connection off."""
        for one in self._transports:
            one.close()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)  # the thread waits for a connection
        self.sever()
        self._thread.join()
        self._listening.close()
