"""Provider check: whether a provider accepts a list of tools, by its published limits and schema subset.

Written from the providers' documents, not from our own compiler, so that the two can disagree: tests run it over
everything that the compiler makes. Checks the request side only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.model.problems import Problem, render_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    Parts = tuple[str | int, ...]

_SCALARS = ("string", "integer", "number", "boolean")
_KEYWORDS = {
    # OpenAI without strict and Anthropic and MCP take any JSON Schema
    "strict": {"type", "description", "enum", "properties", "required", "additionalProperties", "items"},
    "gemini": {"type", "description", "enum", "properties", "required", "items", "nullable", "format"},
}  # fmt: skip
_MAX_STRICT_DEPTH = 10
_MAX_STRICT_PROPERTIES = 5000
_MAX_STRICT_CHOICES = 1000


def check_declarations(
    provider: str, declarations: Sequence[dict[str, Any]], *, strict: bool = False
) -> list[Problem]:
    """List what the provider would reject."""
    checker = _Checker(provider, strict)
    names: set[str] = set()
    for index, declaration in enumerate(declarations):
        name = checker.declaration(declaration, (index,))
        if name in names:
            checker.report(
                (index, "name"), "provider.duplicate-name", f"the name `{name}` is used twice"
            )
        names.add(name)
    return checker.problems


class _Checker:
    def __init__(self, provider: str, strict: bool) -> None:
        self.provider, self.strict = provider, strict
        self.problems: list[Problem] = []
        self.properties = self.choices = 0

    def report(self, path: Parts, code: str, message: str) -> None:
        self.problems.append(Problem(path=render_path(path), code=code, message=message))

    def declaration(self, value: dict[str, Any], path: Parts) -> str:
        if self.provider == "openai" and "function" in value:
            value, path = value["function"], (*path, "function")
        name = str(value.get("name", ""))
        legal = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
        if not legal or len(name) > 64 or not (name[0].isalpha() or name[0] == "_"):
            self.report((*path, "name"), "provider.name", f"`{name[:80]}` is not a legal name")
        text = value.get("description", "")
        if self.provider == "openai" and len(text) > 1024:
            self.report(
                (*path, "description"),
                "provider.description",
                f"{len(text)} characters; at most 1024 are allowed",
            )
        field = {"anthropic": "input_schema", "mcp": "inputSchema"}.get(self.provider, "parameters")
        self.properties = self.choices = 0
        if field in value:
            self.root(value[field], (*path, field))
        elif self.provider != "gemini":
            self.report(path, "provider.no-schema", f"`{field}` is missing")
        return name

    def root(self, schema: dict[str, Any], path: Parts) -> None:
        if schema.get("type") != "object":
            self.report(path, "provider.root", "the root must be an object")
        if self.provider == "gemini" and not schema.get("properties"):
            self.report(path, "provider.empty-object", "an object needs `properties`")
        self.schema(schema, path, 0)
        if self.strict and (
            self.properties > _MAX_STRICT_PROPERTIES or self.choices > _MAX_STRICT_CHOICES
        ):
            self.report(
                path, "provider.too-large", "more properties or choices than strict mode accepts"
            )

    def schema(self, schema: Any, path: Parts, depth: int) -> None:
        if not isinstance(schema, dict):
            self.report(path, "provider.schema", "a schema must be an object")
            return
        allowed = _KEYWORDS.get("strict" if self.strict else self.provider)
        if allowed is not None:
            for key in schema:
                if key not in allowed:
                    self.report(
                        (*path, key), "provider.keyword", f"keyword `{key}` is not supported"
                    )
        kinds = schema.get("type")
        if isinstance(kinds, list):
            self._type_list(kinds, path)
        elif allowed is not None and kinds not in (*_SCALARS, "object", "array"):
            self.report((*path, "type"), "provider.type", f"`{kinds}` is not a type")
        self._enum(schema, path)
        for key, child in (schema.get("properties") or {}).items():
            self.properties += 1
            self._key(key, (*path, "properties"))
            self.schema(child, (*path, "properties", key), depth + 1)
        if kinds == "array" or (isinstance(kinds, list) and "array" in kinds):
            if "items" in schema:
                self.schema(schema["items"], (*path, "items"), depth + 1)
            elif allowed is not None:
                self.report(path, "provider.items", "an array needs `items`")
        self._object(schema, path, depth)

    def _object(self, schema: dict[str, Any], path: Parts, depth: int) -> None:
        properties = schema.get("properties")
        for key in schema.get("required", ()):
            if key not in (properties or {}):
                self.report((*path, "required"), "provider.required", f"`{key}` is not a property")
        if not self.strict or properties is None:
            return
        if depth > _MAX_STRICT_DEPTH:
            self.report(path, "provider.depth", "nested too deeply")
        if schema.get("additionalProperties") is not False:
            self.report(path, "provider.open-object", "`additionalProperties` must be false")
        if set(schema.get("required", ())) != set(properties):
            self.report(path, "provider.required", "strict mode needs every property in `required`")

    def _type_list(self, kinds: list[Any], path: Parts) -> None:
        if self.provider == "gemini":
            self.report((*path, "type"), "provider.type-list", "a list of types is not supported")
        elif len(kinds) != 2 or kinds[1] != "null":
            self.report(
                (*path, "type"), "provider.type-list", "a list of types must be one type and `null`"
            )

    def _enum(self, schema: dict[str, Any], path: Parts) -> None:
        values = schema.get("enum")
        if values is None:
            return
        self.choices += len(values)
        path = (*path, "enum")
        if not values or len({repr(value) for value in values}) != len(values):
            self.report(path, "provider.enum", "`enum` is empty or has duplicates")
        kinds = schema.get("type")
        if isinstance(kinds, list) and "null" in kinds and None not in values:
            self.report(path, "provider.enum", "`null` is a type but missing in `enum`")
        if self.provider == "gemini" and (
            kinds != "string" or not all(isinstance(value, str) and value for value in values)
        ):
            self.report(path, "provider.enum", "`enum` must contain non-empty strings only")

    def _key(self, key: str, path: Parts) -> None:
        letters = key.replace("_", "a")
        if self.provider != "gemini":
            letters = letters.replace("-", "a")
        if not (key.isascii() and letters.isalnum() and len(key) <= 64):
            self.report((*path, key), "provider.key", f"`{key[:80]}` is not a legal name")
        elif self.provider == "gemini" and not (key[0].isalpha() or key[0] == "_"):
            self.report((*path, key), "provider.key", "must begin with a letter or `_`")
