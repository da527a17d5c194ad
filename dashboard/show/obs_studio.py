"""Scenes of OBS Studio, switched over obs-websocket 5.x by the library ``obsws-python``.

https://github.com/obsproject/obs-websocket/blob/master/docs/generated/protocol.md
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.files import read_file
from table.server_config import ShowOptions

_LONGEST_S: Final = 2.0
"""Seconds that OBS has for an answer."""
_FRESH_S: Final = 1.5
_AGAIN_S: Final = 10.0
"""Seconds after which an OBS that was not reached is tried again."""


class ObsError(TilewatchError):
    """OBS cannot be asked, in one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Scenes:
    """The scenes of OBS in its order, and the one on air."""

    names: tuple[str, ...] = ()
    on_air: str = ""
    fault: str = ""
    """Why they are not known; empty if they are."""


class ObsStudio:
    """One OBS Studio. Safe to use from any thread."""

    def __init__(
        self, options: ShowOptions | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._options, self._now = options or ShowOptions(), now
        self._lock = threading.Lock()
        self._client: Any = None
        self._known, self._until_s = Scenes(), float("-inf")

    @property
    def configured(self) -> bool:
        """True if the configuration names an OBS."""
        return self._options.obs is not None

    def scenes(self) -> Scenes:
        """Return the scenes as they were a moment ago."""
        if not self.configured:
            return Scenes()
        with self._lock:
            if self._now() < self._until_s:
                return self._known
            try:
                found = self._ask("GetSceneList")
                names = [str(one["sceneName"]) for one in reversed(found["scenes"])]
                self._known = Scenes(tuple(names), str(found["currentProgramSceneName"] or ""))
                self._until_s = self._now() + _FRESH_S
            except ObsError as error:
                self._known, self._until_s = Scenes(fault=str(error)), self._now() + _AGAIN_S
            return self._known

    def switch(self, scene: str) -> None:
        """Put a scene on air. Raises ``ObsError``."""
        with self._lock:
            self._ask("SetCurrentProgramScene", {"sceneName": scene})
            self._until_s = float("-inf")

    def close(self) -> None:
        """Close the connection."""
        if self._client is not None:
            self._client.ws.close()
            self._client = None

    def _ask(self, request: str, data: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the answer's data; a connection that was lost meanwhile is opened again."""
        try:
            from obsws_python.error import OBSSDKError  # noqa: PLC0415 - an extra
            from websocket import WebSocketException  # noqa: PLC0415 - what that is made of
        except ModuleNotFoundError as error:
            raise ObsError("OBS needs a library of its own: sh install.sh --obs") from error
        was_open = self._client is not None
        try:
            self._client = self._client or self._connected()
            answer = self._client.req(request, data)
            status = answer["requestStatus"]
        except (OSError, ValueError, KeyError, WebSocketException, OBSSDKError) as error:
            self.close()
            if was_open:
                return self._ask(request, data)
            raise ObsError(f"OBS at {self._options.obs}: {_reason(error)}") from error
        if not status["result"]:
            raise ObsError(f"OBS refuses {request}: {status.get('comment', status['code'])}")
        return dict(answer.get("responseData") or {})

    def _connected(self) -> Any:
        from obsws_python.baseclient import ObsClient  # noqa: PLC0415

        # It logs the password, and each failure with a traceback.
        logging.getLogger("obsws_python").setLevel(logging.CRITICAL)
        host, _, port = str(self._options.obs).rpartition(":")
        password = _password(self._options.obs_password_file)
        client = ObsClient(host=host, port=int(port), password=password, timeout=_LONGEST_S)
        try:
            client.authenticate()
        except BaseException:
            client.ws.close()
            raise
        return client


def _password(path: Path | None) -> str:
    try:
        return "" if path is None else read_file(path, 1000, ObsError).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ObsError(f"{path}: the password of OBS cannot be read ({error})") from error


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    if "password" in text or "identify" in text or "Connection to remote host was lost" in text:
        return f"it does not accept the password of [show] obs_password_file ({text})"
    return f"{text}; is it running, with Tools › WebSocket Server Settings switched on?"
