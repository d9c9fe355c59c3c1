"""Sources that are asked over HTTP, against a loopback server that speaks their shapes."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import json
import threading

import pytest

from atip.crawler.packages import Package, Refusal
from atip.crawler.sources import open_source
from atip.crawler.sources.interface import CrawlRequest, SourceContext
from tests.simulators.package_files import make_tar, script

ARCHIVE = make_tar({"bin/curl": script("curl")}, prefix="curl-8.5.0/")
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
SHA512 = base64.b64encode(hashlib.sha512(ARCHIVE).digest()).decode()
FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="urn:m"
 xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"><entry>
<content type="application/zip" src="{address}/file"/><m:properties><d:Version>8.5.0</d:Version>
<d:PackageHash>{hash}</d:PackageHash><d:PackageHashAlgorithm>SHA512</d:PackageHashAlgorithm>
</m:properties></entry></feed>"""


@contextlib.contextmanager
def service():
    """Answers of GitHub, Homebrew, Scoop and Chocolatey; counts what was asked and answered in full."""
    answers: dict[str, bytes] = {}
    full: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = answers.get(self.path.partition("?")[0])
            tag = f'"{hashlib.sha256(body or b"").hexdigest()}"'
            known = body is not None and self.headers.get("if-none-match") == tag
            self.send_response(404 if body is None else 304 if known else 200)
            self.send_header("etag", tag)
            self.send_header("content-length", "0" if known else str(len(body or b"")))
            self.end_headers()
            if body is not None and not known:
                full.append(self.path)
                self.wfile.write(body)

        def log_message(self, *_words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield address, answers, full
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings(address: str) -> dict:
    return {
        "private": [address],
        "github": {"api": address},
        "homebrew": {"api": address},
        "scoop": {"bucket": address},
        "choco": {"feed": address},
    }


def fill(address: str, answers: dict[str, bytes]) -> None:
    asset = {"name": "curl-8.5.0-linux-x86_64.tar.gz", "browser_download_url": f"{address}/file"}
    sums = {"name": "SHA256SUMS", "browser_download_url": f"{address}/sums"}
    release = {"tag_name": "v8.5.0", "assets": [asset, sums]}
    answers["/repos/curl/curl/releases/latest"] = json.dumps(release).encode()
    answers["/sums"] = f"{SHA256}  {asset['name']}\n".encode()
    answers["/file"] = ARCHIVE
    bottle = {"url": f"{address}/file", "sha256": SHA256}
    formula = {"versions": {"stable": "8.5.0"}, "desc": "Get a file from an HTTP server"}
    formula["bottle"] = {"stable": {"files": {"arm64_sonoma": bottle, "x86_64_linux": bottle}}}
    answers["/formula/curl.json"] = json.dumps(formula).encode()
    block = {"url": f"{address}/file#/curl.zip", "hash": SHA256}
    answers["/curl.json"] = json.dumps(
        {"version": "8.5.0", "architecture": {"64bit": block}}
    ).encode()
    answers["/Packages()"] = FEED.format(address=address, hash=SHA512).encode()


CASES = [
    pytest.param(
        "github",
        {"repo": "curl/curl", "asset_patterns": {"linux-amd64": "curl-*-linux-x86_64.tar.gz"}, "binary_path": "curl-*/bin/curl"},
        ["linux-amd64"],
        marks=pytest.mark.proves("ATIP6-4.10.1-01", "ATIP6-4.10.2-02"),
    ),
    pytest.param(
        "homebrew",
        {"formula": "curl", "platforms": ["darwin-arm64"]},
        ["darwin-arm64"],
        marks=pytest.mark.proves("ATIP6-4.10.1-02", "ATIP6-4.10.2-03"),
    ),
    pytest.param("scoop", {"package": "curl"}, ["windows-amd64"], marks=pytest.mark.proves("ATIP6-4.10.1-04")),
    pytest.param("choco", {"package": "curl"}, ["windows-amd64"], marks=pytest.mark.proves("ATIP6-4.10.1-04")),
    pytest.param(
        "url",
        {"version": "8.5.0", "urls": {"linux-amd64": "ADDRESS/file"}, "sha256": {"linux-amd64": SHA256}},
        ["linux-amd64"],
        marks=pytest.mark.proves("ATIP6-4.10.1-05"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "block", "platforms"), CASES)
def test_releases_are_found_and_fetched_by_digest(name, block, platforms, tmp_path):
    with service() as (address, answers, full):
        fill(address, answers)
        block = json.loads(json.dumps(block).replace("ADDRESS", address))
        context = SourceContext(folder=str(tmp_path), settings=settings(address))
        source = open_source(name, context)
        found = list(source.discover([CrawlRequest(source=name, name="curl", settings=block)]))
        assert all(isinstance(one, Package) for one in found), found
        assert [(one.version, one.platform) for one in found] == [("8.5.0", p) for p in platforms]
        kept: dict[str, bytes] = {}
        assert (
            list(source.fetch([found[0].own], lambda a, data: kept.update({a.digest: data}))) == []
        )
        assert kept == {found[0].own.digest: ARCHIVE}
        full.clear()
        again = list(
            open_source(name, context).discover(
                [CrawlRequest(source=name, name="curl", settings=block)]
            )
        )
        assert again == found
        assert full == []  # validators only


def test_what_is_not_there_or_has_no_digest_is_a_dead_letter(tmp_path):
    with service() as (address, answers, _full):
        fill(address, answers)
        answers["/sums"] = b"nothing\n"
        context = SourceContext(folder=str(tmp_path), settings=settings(address))
        patterns = {"linux-amd64": "curl-*.tar.gz"}
        wanted = [
            CrawlRequest(
                source="github",
                name="curl",
                settings={"repo": "curl/curl", "asset_patterns": patterns},
            ),
            CrawlRequest(
                source="github",
                name="none",
                settings={"repo": "no/body", "asset_patterns": patterns},
            ),
            CrawlRequest(
                source="github", name="out", settings={"repo": "../..", "asset_patterns": patterns}
            ),
        ]
        found = list(open_source("github", context).discover(wanted))
        assert all(isinstance(one, Refusal) for one in found)
        assert [one.code for one in found] == ["crawl.no-digest", "crawl.unknown", "crawl.unknown"]
