"""Indexes of Python and npm packages on loopback, with validators, and a record of their answers."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import json
import threading
import typing

from tests.simulators.package_files import make_tar

if typing.TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator, Mapping

    from tests.simulators.package_files import Files


class PackageIndex:
    """Pages and files by path; `answers` are (path, status) in the order of the requests."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.answers: list[tuple[str, int]] = []
        self.address = ""

    def add_wheel(self, wheel: pathlib.Path) -> None:
        """A wheel and its link on the project's page (PEP 503)."""
        data, name = wheel.read_bytes(), wheel.name.partition("-")[0]
        self.pages[f"/files/{wheel.name}"] = data
        page = f"/simple/{name}/"
        digits = hashlib.sha256(data).hexdigest()
        link = f'<a href="/files/{wheel.name}#sha256={digits}">{wheel.name}</a>\n'
        self.pages[page] = self.pages.get(page, b"<!DOCTYPE html>\n") + link.encode()

    def add_npm(
        self,
        name: str,
        files: Files,
        manifest: Mapping[str, typing.Any],
        version: str = "1.0.0",
    ) -> None:
        """An npm package and its document; the last one added is the latest."""
        package = {"name": name, "version": version, **manifest}
        data = make_tar({"package.json": json.dumps(package).encode(), **files}, prefix="package/")
        path = f"/{name}/-/{name}-{version}.tgz"
        self.pages[path] = data
        digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
        document = json.loads(self.pages.get(f"/{name}", b'{"versions": {}}'))
        dist = {
            "tarball": self.address + path,
            "integrity": f"sha512-{digest}",
            "shasum": hashlib.sha1(data).hexdigest(),
        }
        document["versions"][version] = {**package, "dist": dist}
        document.update({"name": name, "dist-tags": {"latest": version}})
        self.pages[f"/{name}"] = json.dumps(document).encode()


@contextlib.contextmanager
def package_index() -> Iterator[PackageIndex]:
    """An index that answers until the block ends."""
    index = PackageIndex()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            body = index.pages.get(path)
            tag = f'"{hashlib.sha256(body or b"").hexdigest()[:16]}"'
            status = 404 if body is None else 200
            if status == 200 and self.headers.get("if-none-match") == tag:
                status, body = 304, b""
            index.answers.append((path, status))
            self.send_response(status)
            self.send_header("content-type", _content_type(path))
            self.send_header("cache-control", "max-age=0")
            self.send_header("etag", tag)
            self.send_header("content-length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_words: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _content_type(path: str) -> str:
    if path.startswith("/simple/"):
        return "text/html"
    return "application/octet-stream" if path.endswith((".whl", ".tgz")) else "application/json"
