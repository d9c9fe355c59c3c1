"""Addresses that a tool fetches: the host, and whether the address sends data or is internal. Pure: no lookups."""

from __future__ import annotations

from atip.model.text.regex import LazyRegex

MAX_ADDRESS = 400
"""Longer addresses may carry data."""
_HOST = LazyRegex(r"^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)")
_INSIDE = LazyRegex(
    r"^(localhost|.*\.local(host)?|.*\.internal|\[.*\]|[0-9.]+|0x[0-9a-f]+|[^.]+)\.?$"
)
"""Names of this machine and this network, and addresses that are numbers."""
_SECRET = LazyRegex(
    r"(?i)(token|secret|passw|credential|api-?_?key|access-?_?key|private-?_?key|auth|session)[^=/]*=|gh[pousr]_[A-Za-z0-9]{20}|"
    r"(AKIA|ASIA)[A-Z0-9]{12}|sk-[A-Za-z0-9_-]{16}|xox[baprs]-|eyJ[A-Za-z0-9_-]{10,}\.|-----BEGIN"
)
_LONG_RUN = LazyRegex(r"[A-Za-z0-9+_%=-]{40,}")


def host_of(url: str) -> str:
    """The host in lower case; empty: the address has none."""
    match = _HOST.search(url[:2_000])
    return match.group(1).lower().rstrip(".") if match is not None else ""


def address_danger(url: str) -> str:
    """Why fetching an address is more than reading a page; empty: it is not."""
    host = host_of(url)
    if not url.lower().startswith(("http://", "https://")) or not host:
        return "not a web address"
    if "@" in url.partition("://")[2].partition("/")[0]:
        return "the address contains a login"
    if _INSIDE.search(host):
        return "an address of this machine or network"
    if _SECRET.search(url):
        return "the address contains a secret"
    if len(url) > MAX_ADDRESS or any(_is_data(run) for run in _runs(url)):
        return "the address contains data"
    return ""


def _runs(url: str) -> list[str]:
    return [str(run) for run in _LONG_RUN.findall(url.partition("://")[2])]


def _is_data(run: str) -> bool:
    """`a1b2c3…` is data; `how-to-write-a-long-title-of-a-page` is a title."""
    digits = sum(character.isdigit() for character in run)
    letters = sum(character.isalpha() for character in run)
    return digits > 5 and letters > 5 and run.count("-") < len(run) // 10
