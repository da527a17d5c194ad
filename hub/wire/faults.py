"""Why a hub or its broker cannot be reached, in words."""

from __future__ import annotations

import errno
import http.client
import os
import socket
import ssl
from typing import Final

_CERTIFICATE: Final = {
    7: "an authority of the same name and another key has signed it",
    9: "it is not valid yet by this machine's clock",
    10: "it has run out by this machine's clock",
    **dict.fromkeys((18, 19, 20, 21), "an authority that is not known here has signed it"),
    62: "it is for another name",
    64: "it is for another address",
}
"""By OpenSSL's number (``X509_V_ERR_…``)."""

_NETWORK: Final = {
    errno.ECONNREFUSED: "nothing listens there",
    errno.ECONNRESET: "it hangs up",
    errno.EPIPE: "it hangs up",
    errno.ENETUNREACH: "no network leads there",
    errno.EHOSTUNREACH: "no machine of this address is in the network",
    errno.ETIMEDOUT: "it does not answer",
}


def refused_certificate(error: BaseException) -> str | None:
    """Return why a server's certificate was refused; None if something else is wrong."""
    if not isinstance(error, ssl.SSLCertVerificationError):
        return None
    return _CERTIFICATE.get(error.verify_code, error.verify_message)


def unreachable(error: BaseException) -> str:
    """Return why a server cannot be reached, in a few words for an ``OSError`` or one of HTTP's."""
    if isinstance(error, socket.gaierror):
        return "no machine of this name is known in the network"
    if isinstance(error, TimeoutError):
        return _NETWORK[errno.ETIMEDOUT]
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return _NETWORK[errno.ECONNRESET]
    if isinstance(error, ssl.SSLError):
        if error.reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"}:
            return "what answers there speaks no TLS"
        return f"TLS fails: {error.reason or error}"
    if isinstance(error, http.client.RemoteDisconnected):
        return _NETWORK[errno.ECONNRESET]
    if isinstance(error, http.client.HTTPException):
        return "what answers there speaks no HTTP"
    if isinstance(error, OSError) and error.errno is not None:
        return _NETWORK.get(error.errno, os.strerror(error.errno))
    return str(error) or type(error).__name__
