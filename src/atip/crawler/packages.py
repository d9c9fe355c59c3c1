"""Packages: what a source found, as data that travels to a worker and back. Pure.

A job is a package of one version for one platform with everything it needs to be looked at; its key is the digest of
that, so the same package is never looked at twice by the same learner.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

LEARNER = "1"
"""Changes when the crawler would learn something else from the same package; results of another learner are made again."""

LEARNT, EMPTY, REFUSED = "learnt", "empty", "refused"
"""Outcomes of a job: shims; no executables or nothing to be known; a dead letter."""


class PackageFile(Value):
    """One file to fetch: a package, or something it needs."""

    name: str
    """File name, for people and for telling the format."""
    digest: str
    """`sha256:` or `sha512:` and hex digits, from the source's index; what is fetched must have it."""
    locator: str
    """What its source needs to fetch it: `name=version`, an address, a path."""
    size: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "digest": self.digest, "locator": self.locator}


class Package(Value):
    """One package of one version for one platform: a unit of work."""

    source: str
    name: str
    version: str
    platform: str
    layout: str
    """How its files become something that can be asked: `system`, `python`, `node`, `plain`."""
    own: PackageFile
    needs: tuple[PackageFile, ...] = ()
    description: str = ""
    homepage: str = ""
    programs: Mapping[str, str] = {}
    """Name → path inside the package (or `module:function`); empty: whatever lies where programs lie."""
    binary_path: str = ""
    """Pattern of the one executable that is meant (§4.10.2); empty: all."""
    template: Mapping[str, Any] = {}
    """What a person wrote about the tool, merged over what is learnt (§4.10.2)."""

    observe: bool = False
    """Also run cases, and keep what they showed."""

    @property
    def label(self) -> str:
        return f"{self.source}:{self.name}"

    @property
    def key(self) -> str:
        """Changes with everything that could change the result."""
        return hashlib.sha256(f"{LEARNER}\n{encode_json(self.to_json())}".encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "source": self.source,
            "name": self.name,
            "version": self.version,
            "platform": self.platform,
            "layout": self.layout,
            "own": self.own.to_json(),
            "needs": [one.to_json() for one in self.needs],
            "description": self.description,
            "homepage": self.homepage,
        }
        for name in ("programs", "template"):
            if value := getattr(self, name):
                document[name] = dict(value)
        for name in ("binary_path", "observe"):
            if value := getattr(self, name):
                document[name] = value
        return document


class Refusal(Value):
    """A dead letter: which package was not taken, at which step, and why."""

    source: str
    name: str
    code: str
    message: str
    step: str = ""

    @property
    def label(self) -> str:
        return f"{self.source}:{self.name}"

    def to_json(self) -> dict[str, str]:
        return {
            "package": self.label,
            "step": self.step,
            "code": self.code,
            "message": self.message,
        }


def read_package(document: Mapping[str, Any]) -> Package:
    """The reverse of `Package.to_json`."""
    fields = {**document}
    fields["own"] = PackageFile(**document["own"])
    fields["needs"] = tuple(PackageFile(**one) for one in document["needs"])
    return Package(**fields)


def encode_json(value: object) -> str:
    """Compact, with sorted keys: the same value, the same text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
