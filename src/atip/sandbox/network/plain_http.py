"""Plain HTTP through the gate: a request with a whole address (`GET http://host/path`) for an allowed host.

The host is taken from the request line, once, and judged like a `CONNECT` to its port; the request that goes on
names that host in its own `Host` header and nothing else. What stood there before is dropped, as are the headers
meant for a proxy. One request per connection: its answer ends it.
"""

from __future__ import annotations

import re

_REQUEST = re.compile(
    rb"(?P<method>GET|HEAD|POST|PUT|DELETE|OPTIONS|PATCH|PROPFIND|REPORT|MKCOL) "
    rb"http://(?P<host>[\x21-\x2e\x30-\x39\x3b-\x7e]+)(?::(?P<port>[0-9]{1,5}))?"
    rb"(?P<path>/[\x21-\x7e]*)? (?P<version>HTTP/1\.[01])"
)
_HEADER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*")
_DROPPED = (b"host:", b"connection:", b"keep-alive:", b"upgrade:")


def as_connect(line: bytes) -> bytes:
    """The `CONNECT` line that a plain request amounts to; empty: it is none."""
    request = _REQUEST.fullmatch(line)
    if request is None:
        return b""
    port = request["port"] or b"80"
    return b"CONNECT " + request["host"] + b":" + port + b" HTTP/1.1"


def rewritten(head: bytes) -> bytes:
    """The head as the server gets it; empty where it is malformed.

    SECURITY: header lines are taken one by one; a folded or broken one, which a server may read in another way
    than we do, ends the request.
    """
    line, *headers = head.split(b"\r\n")
    request = _REQUEST.fullmatch(line)
    if request is None or not all(_HEADER.fullmatch(header) for header in headers):
        return b""
    host = request["host"] + (b":" + request["port"] if request["port"] else b"")
    forwarded = [
        header
        for header in headers
        if not header.lower().startswith(_DROPPED) and not header.lower().startswith(b"proxy-")
    ]
    first = b" ".join((request["method"], request["path"] or b"/", request["version"]))
    return b"\r\n".join((first, b"Host: " + host, *forwarded, b"Connection: close", b"", b""))
