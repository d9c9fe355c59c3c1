"""Rate-limited, conditional HTTP requests: one after the other with a pause, answers cached by their validators."""

from __future__ import annotations

import hashlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

from atip.crawler.packages import Refusal
from atip.errors import AtipError, FetchError, NotFoundError, UsageError
from atip.system.clock import monotonic
from atip.system.files import make_private, read_bytes, write_atomic
from atip.system.network.http import HttpClient, HttpLimits, Response
from atip.system.network.http_addresses import Access, parse_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from atip.crawler.packages import PackageFile
    from atip.crawler.sources.interface import Keep, SourceContext

PAUSE_S = 0.2
"""Between two requests to one host."""
MAX_INDEX = 100_000_000
MAX_FILE = 500_000_000
INDEX = HttpLimits(max_bytes=MAX_INDEX, deadline_s=60.0)
FILE = HttpLimits(max_bytes=MAX_FILE, deadline_s=600.0)
NO_HEADERS: Mapping[str, str] = {}


class WebFetcher:
    """Sends the requests of one source; caches answers with their validators in its folder."""

    def __init__(self, name: str, context: SourceContext) -> None:
        self._name = name
        settings = context.settings.get(name)
        self.settings: Mapping[str, Any] = settings if isinstance(settings, dict) else {}
        self._folder = os.path.join(context.folder, name)
        private = context.settings.get("private", ())
        self._client = HttpClient(Access(private=tuple(str(address) for address in private)))
        self._last_request: dict[str, float] = {}

    def address(self, key: str) -> str:
        """A service's address from the configuration.

        Raises:
            UsageError: `crawl.no-address`.
        """
        address = self.settings.get(key)
        if not isinstance(address, str) or not address:
            hint = f'write {{"{self._name}": {{"{key}": "https://…"}}}} into a file and name it with --sources'
            raise UsageError(
                "crawl.no-address", f"no address configured for source `{self._name}`", hint=hint
            )
        return address.rstrip("/")

    def index(self, url: str) -> bytes:
        """Fetch a small document; downloads it again only if it has changed.

        Raises:
            NotFoundError: `crawl.unknown`.
            FetchError: as the client.
        """
        make_private(self._folder)
        path = os.path.join(self._folder, hashlib.sha256(url.encode()).hexdigest())
        stored_validators = self._validators(path)
        response = self._get(url, stored_validators, INDEX)
        if response.status == 304:
            return read_bytes(path, MAX_INDEX)
        if response.status != 200:
            raise NotFoundError("crawl.unknown", f"the service answered {response.status}")
        write_atomic(path, response.body)
        names = (("etag", "if-none-match"), ("last-modified", "if-modified-since"))
        validators = {
            ask: response.headers[answer_header]
            for answer_header, ask in names
            if answer_header in response.headers
        }
        write_atomic(f"{path}.json", json.dumps(validators).encode())
        return response.body

    def json(self, url: str) -> Any:
        try:
            return json.loads(self.index(url))
        except ValueError as error:
            raise FetchError("crawl.index", "the service did not answer with JSON") from error

    def file(self, url: str, headers: Mapping[str, str] = NO_HEADERS) -> bytes:
        """A download.

        Raises:
            FetchError: as the client; `crawl.index` for any status but 200.
        """
        response = self._get(url, headers, FILE)
        if response.status != 200:
            raise FetchError("crawl.index", f"the service answered {response.status}")
        return response.body

    def fetch_all(
        self, artifacts: Sequence[PackageFile], keep: Keep, headers: Mapping[str, str] = NO_HEADERS
    ) -> Iterator[Refusal]:
        """Download each and pass it to `keep`; yield a refusal for each failure."""
        for artifact in artifacts:
            try:
                keep(artifact, self.file(artifact.locator, headers))
            except AtipError as error:
                yield refusal(self._name, artifact.name, error, "fetch")

    def _get(self, url: str, headers: Mapping[str, str], limits: HttpLimits) -> Response:
        host = parse_address(url).host
        wait = self._last_request.get(host, -PAUSE_S) + PAUSE_S - monotonic()
        if wait > 0:
            time.sleep(wait)
        self._last_request[host] = monotonic()
        return self._client.get(url, headers=headers, limits=limits)

    def _validators(self, path: str) -> dict[str, str]:
        try:
            validators = json.loads(read_bytes(f"{path}.json", 10_000))
        except (AtipError, ValueError):
            return {}
        return validators if os.path.exists(path) else {}


def refusal(source: str, name: str, error: AtipError, step: str) -> Refusal:
    return Refusal(source=source, name=name, code=error.code, message=error.message, step=step)


def checked_name(name: str) -> str:
    """Check a package's name before it becomes part of an address.

    Raises:
        NotFoundError: `crawl.unknown` for a name that could change the address.
    """
    # SECURITY: names come from untrusted lists.
    if (
        not name
        or name[0] in ".-"
        or not all(character.isalnum() or character in "-_.@+" for character in name)
    ):
        raise NotFoundError("crawl.unknown", f"`{name[:80]}` is not a valid package name")
    return name
