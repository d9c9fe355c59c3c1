"""Packages: releases that a source found, as data sent to a worker and back. Pure.

A job is a package of one version for one platform with everything it needs to run; its key is the digest of
that, so the same learner never processes the same package twice.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

LEARNER = "1"
"""Version of the learner. Increase it when the same package would give other results; older results are then made again."""

LEARNED, EMPTY, REFUSED = "learnt", "empty", "refused"
"""Outcomes of a job: shims; no executables or no metadata; a refusal with a reason."""


class PackageFile(Value):
    """One file to fetch: a package, or something it needs."""

    name: str
    """File name, shown to users and used to detect the format."""
    digest: str
    """`sha256:` or `sha512:` and hex digits, from the source's index; the fetched file must match it."""
    locator: str
    """Locator for its source: `name=version`, an address, a path."""
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
    """Layout in which its programs can run: `system`, `python`, `node`, `plain`."""
    own: PackageFile
    needs: tuple[PackageFile, ...] = ()
    description: str = ""
    homepage: str = ""
    programs: Mapping[str, str] = {}
    """Name → path inside the package (or `module:function`); empty: all programs in the usual folders."""
    binary_path: str = ""
    """Pattern that selects the executable (§4.10.2); empty: all."""
    template: Mapping[str, Any] = {}
    """Metadata written by hand, merged over the learned metadata (§4.10.2)."""

    observe: bool = False
    """Also run cases, and record what they observed."""

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
            "needs": [need.to_json() for need in self.needs],
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
    """A package without a result: at which step it failed, and why."""

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
    fields["needs"] = tuple(PackageFile(**need) for need in document["needs"])
    return Package(**fields)


def read_refusal(document: Mapping[str, str]) -> Refusal:
    """The reverse of `Refusal.to_json`."""
    source, _, name = document["package"].partition(":")
    return Refusal(
        source=source,
        name=name,
        code=document["code"],
        message=document["message"],
        step=document["step"],
    )


def encode_json(value: object) -> str:
    """Compact, with sorted keys: the same value, the same text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
