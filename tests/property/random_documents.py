"""Random documents made from the shape tables themselves, thousands a second, reproducible by seed."""

from __future__ import annotations

from atip.model.shapes import metadata as shapes
from atip.model.shapes.shape import Anything, Either, Integer, Items, Shape, Table, Text

WORDS = [
    "alpha",
    "beta-1",
    "gamma",
    "d",
    "eps_2",
    "żółć",
    "名前",
    "a b",
    "{x}",
    '"',
    "\\",
    "-",
    "é" * 5,
]
NAMES = ["run", "list", "pr", "create", "delete-all", "x2"]
FIXED = {
    "format.protocol-version": ["0.6"],
    "format.name": ["tool", "my-tool"],
    "format.url": ["https://example.org/x"],
    "format.flag": ["-x", "--long-name", "-chdir"],
    "format.env-var": ["SOME_VAR", "_X1"],
    "format.hash": ["sha256:" + "0a" * 32],
    "format.checksum": ["sha256:" + "ff" * 32],
    "format.platform": ["linux-amd64"],
    "format.time": ["2026-01-15T00:00:00Z"],
    "format.long-description": ["what it does", "é"],
}
EMPTY_IS_SILENT = {"effects", "filesystem effects", "interactive effects", "cost", "duration"}


def random_document(rng) -> dict:
    """A valid, normalised 0.6 document."""
    document = _record(shapes.TOOL, rng, 0)
    document["atip"] = {
        "version": "0.6",
        **({"features": ["trust-v1"]} if rng.random() < 0.3 else {}),
    }
    document.pop("includedCommands", None)
    document.get("trust", {}).pop("signature", None)
    return document


def _record(shape: Shape, rng, depth: int) -> dict:
    made = {}
    for key, field in shape.fields.items():
        chance = 0.5 if depth < 3 else 0.15
        if field.required or rng.random() < chance:
            value = _value(key, field.kind, rng, depth + 1)
            if value == {} and isinstance(field.kind, Shape) and field.kind.name in EMPTY_IS_SILENT:
                continue
            made[key] = value
    if made.get("type") == "enum":
        made["enum"] = ["a", "b", 3]
    elif made.get("type") == "boolean":
        made.pop("enum", None)
    if rng.random() < 0.2:
        made[f"x-{rng.choice(NAMES)}"] = {"any": [1, None, {"deep": True}]}
    return made


def _value(key: str, kind, rng, depth: int):
    if key == "typical":
        return "1-5s"
    if key == "timeout":
        return "60s"
    if key == "command":
        return "tool run --flag"
    if kind is bool:
        return rng.random() < 0.5
    if kind is str:
        return rng.choice(WORDS)
    if isinstance(kind, Shape):
        return _record(kind, rng, depth)
    if isinstance(kind, Text):
        return rng.choice(kind.choices or FIXED.get(kind.code) or WORDS)
    if isinstance(kind, Integer):
        return rng.randint(kind.minimum or 0, kind.maximum or 9)
    if isinstance(kind, Items):
        count = rng.randint(max(kind.minimum, 0 if depth < 5 else kind.minimum), kind.minimum + 2)
        return [_value("", kind.kind, rng, depth + 1) for _ in range(count)]
    if isinstance(kind, Table):
        count = rng.randint(0, 3) if depth < 6 else 0
        return {name: _value("", kind.kind, rng, depth + 1) for name in rng.sample(NAMES, count)}
    if isinstance(kind, Either):
        known = rng.choice([t for t in kind.by_type if t is not dict])
        return {str: "word", int: 3, float: 0.5, bool: True, type(None): None, list: []}[known]
    assert isinstance(kind, Anything)
    return rng.choice([None, 1, "text", [1, 2], {"a": None}, 0.25])
