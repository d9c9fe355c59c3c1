"""Hosts: canonical names, the patterns of `network.egress`, and which addresses are public.

One parse, one form: a name is brought to lower-case ASCII before anything is compared, and what has
no such form is refused. Patterns are exact names or `*.` before at least two labels. Addresses,
single labels, metadata services and names that only mean something locally cannot be granted here.
Implements AIP-29 "Sandbox" network.egress; CIDR is v2 of the spec and refused. Never resolves.
"""

from __future__ import annotations

import functools

from atip.errors import FormatError
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

MAX_NAME = 253
MAX_LABEL = 63
_LABEL = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_LOCAL = ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp")
"""Top labels that never lead to a public host."""
_SECOND = frozenset(
    ("co", "com", "org", "net", "ac", "gov", "edu", "go", "or", "ne", "gob", "gouv", "nom", "mil")
)
"""Below a country code these are as wide as the country itself."""
_NOT_PUBLIC = (
    *("192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    *("::/8", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16", "3fff::/20"),
    *("fec0::/10", "ff00::/8"),
)
"""Ranges that hide an IPv4 address, or that `is_global` is wrong about for our purpose."""


class HostPattern(Value):
    """One checked entry of an egress list."""

    name: str
    """Canonical name, without the `*.`."""
    subdomains: bool = False
    """True: every name below `name`, but not `name` itself."""

    def matches(self, host: str) -> bool:
        """Whether a canonical host name is meant."""
        if self.subdomains:
            return host.endswith("." + self.name) and len(host) > len(self.name) + 1
        return host == self.name

    def covers(self, other: HostPattern) -> bool:
        """Whether everything that `other` matches is matched by this one."""
        if not other.subdomains:
            return self.matches(other.name)
        return self.subdomains and (other.name == self.name or self.matches(other.name))

    def __str__(self) -> str:
        return ("*." if self.subdomains else "") + self.name


def canonical_host(text: str) -> str | None:
    """The one form of a host name, or None if it is not a name (addresses are not)."""
    # Lower case before the check for compatibility forms: capitals are harmless.
    import unicodedata

    lowered = text.lower()
    # SECURITY: full-width letters and dots would become ASCII in the resolver, not in the check.
    if unicodedata.normalize("NFKC", lowered) != lowered:
        return None
    name = lowered.removesuffix(".")
    labels = [_ascii_label(label) for label in name.split(".")]
    if None in labels:
        return None
    result = ".".join(label for label in labels if label is not None)
    if len(result) > MAX_NAME or _is_number(result.rsplit(".", 1)[-1]):
        return None
    return result


def _ascii_label(label: str) -> str | None:
    if not label.isascii():
        import unicodedata

        # Letters, marks and digits only: no other dots, no invisible characters, no symbols.
        if any(unicodedata.category(c)[0] not in "LMN" and c != "-" for c in label):
            return None
        try:
            label = "xn--" + label.encode("punycode").decode("ascii")
        except UnicodeError:
            return None
    elif label.startswith("xn--") and not _is_punycode(label):
        return None
    if not 0 < len(label) <= MAX_LABEL or label[0] == "-" or label[-1] == "-":
        return None
    return label if _LABEL.issuperset(label) else None


def _is_punycode(label: str) -> bool:
    try:
        text = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return False
    import unicodedata

    return not text.isascii() and unicodedata.normalize("NFKC", text.lower()) == text


def _is_number(label: str) -> bool:
    """Whether a last label makes the whole an IPv4 address (`127.1`, `0x7f.1`, `2130706433`)."""
    return label.isdigit() or (label.startswith("0x") and set(label[2:]) <= set("0123456789abcdef"))


def parse_host_pattern(text: str) -> HostPattern:
    """One entry of an egress list.

    Raises:
        FormatError: `host.pattern`, with the reason.
    """
    wide = text.startswith("*.")
    name = canonical_host(text[2:] if wide else text)
    if name is None or (wide and text.endswith(".")):
        raise _refusal(text, "not a host name; only `name` and `*.name` can be granted")
    labels = name.split(".")
    if len(labels) < 2 or labels[-1] in _LOCAL or name.endswith("home.arpa"):
        raise _refusal(text, "the name is only valid on this machine or network")
    if wide and len(labels) == 2 and len(labels[1]) == 2 and labels[0] in _SECOND:
        raise _refusal(text, "too broad: anyone can register a name below it")
    return HostPattern(name=name, subdomains=wide)


def parse_endpoint(text: str) -> tuple[str, int]:
    """`host:port` of an explicit grant; the host may be a name, `localhost` or an address.

    Raises:
        FormatError: `host.endpoint`.
    """
    host, _, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise FormatError("host.endpoint", f"`{text}` is not `host:port`")
    if not is_address(bare) and canonical_host(bare) is None:
        raise FormatError("host.endpoint", f"`{text}` does not contain a valid host")
    return (bare if is_address(bare) else canonical_host(bare) or ""), int(port)


def is_address(text: str) -> bool:
    """Whether this is a plain IPv4 or IPv6 address."""
    import ipaddress

    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def is_public(address: str) -> bool:
    """Whether an address may be connected to for a public name."""
    import ipaddress

    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if "%" in address or parsed.is_multicast or not parsed.is_global:
        return False
    return not any(
        parsed in network for network in _not_public() if network.version == parsed.version
    )


@functools.cache
def _not_public() -> tuple[IPv4Network | IPv6Network, ...]:
    import ipaddress

    return tuple(map(ipaddress.ip_network, _NOT_PUBLIC))


def _refusal(text: str, why: str) -> FormatError:
    return FormatError("host.pattern", f"`{text}` cannot be granted: {why}")
