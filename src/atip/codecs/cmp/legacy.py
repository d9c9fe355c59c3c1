"""CMP 0.1.0 → 0.2.0: adapters in one file and manifests inside package.json become the documents of today. Pure.

0.1.0 had a router; its tools keep working as folders (Appendix B). Fields that only the router used (`discovery`,
`outputParser`) are losses.
"""

from __future__ import annotations

from typing import Any

from atip.codecs.interface import Loss
from atip.errors import FormatError
from atip.model.problems import render_path

_ROUTER = ("discovery", "register", "router")
_ROUTER_INTENT = ("outputParser",)


def modernize(document: object, *, origin: str = "") -> tuple[dict[str, Any], list[Loss]]:
    """`{"manifest", "capability"}` of a 0.1.0 adapter, package.json or pair of documents, and what is lost.

    Raises:
        FormatError: `cmp.not-legacy` for any other document.
    """
    if not isinstance(document, dict):
        raise _unknown_format()
    losses: list[Loss] = []
    if isinstance(document.get("manifest"), dict):
        manifest, capability = dict(document["manifest"]), document.get("capability")
    elif isinstance(document.get("cmp"), dict):
        manifest, capability = _from_package(document)
    else:
        manifest, capability = dict(document), None
    intent_list = manifest.pop("intents", None)
    if isinstance(capability, dict):
        intent_list = capability.get("intents", intent_list)
    if not isinstance(intent_list, list):
        raise _unknown_format()
    for field in _ROUTER:
        if manifest.pop(field, None) is not None:
            losses.append(
                Loss(path=render_path((field,)), message="only the router of 0.1.0 used it")
            )
    manifest.setdefault("name", origin)
    manifest.setdefault("version", "0.0.0")
    intents = [_intent(item, place, losses) for place, item in enumerate(intent_list)]
    return {"manifest": manifest, "capability": {"intents": intents}}, losses


def _from_package(document: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    manifest = dict(document["cmp"])
    for field, other in (("name", "name"), ("version", "version"), ("summary", "description")):
        if field not in manifest and isinstance(document.get(other), str):
            manifest[field] = document[other]
    return manifest, manifest.pop("capability", document.get("capability"))


def _intent(item: object, place: int, losses: list[Loss]) -> Any:
    if not isinstance(item, dict):
        return item
    intent = dict(item)
    if "template" in intent:
        intent.setdefault("command", intent.pop("template"))
    for field in _ROUTER_INTENT:
        if intent.pop(field, None) is not None:
            path = render_path(("intents", place, field))
            losses.append(Loss(path=path, message="only the router of 0.1.0 used it"))
    return intent


def _unknown_format() -> FormatError:
    return FormatError(
        "cmp.not-legacy",
        "neither an adapter nor a package of CMP 0.1.0",
        hint="expected a file with `intents`, or package.json with a `cmp` key",
    )
