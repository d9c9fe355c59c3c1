"""The manifest of oclif (`oclif.manifest.json`), which its packages ship beside their program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.inference.described import facts

if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option


def fits(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("commands"), dict):
        return False
    commands = [one for one in document["commands"].values() if isinstance(one, dict)]
    return bool(commands) and all("id" in one and "flags" in one for one in commands)


def read(document: dict[str, Any], name: str) -> tuple[Command, str]:
    """The tree: ids such as `apps:create` are paths."""
    root = _Node()
    for key, node in facts.named(document["commands"]):
        root.put(str(node.get("id") or key).split(":"), node)
    return root.build(), facts.text(document.get("version"))


class _Node:
    """A topic while ids are sorted into the tree."""

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.told: dict[str, Any] = {}

    def put(self, path: list[str], node: dict[str, Any]) -> None:
        here = self
        for part in path[: facts.MAX_DEPTH]:
            if part:
                here = here.children.setdefault(part, _Node())
        here.told = node

    def build(self) -> Command:
        told = self.told
        aliases = [one.rsplit(":", 1)[-1] for one in facts.words(told.get("aliases"))]
        return facts.command(
            description=told.get("summary") or told.get("description"),
            options=[one for key, flag in _sorted(told, "flags") for one in _options(key, flag)],
            arguments=[_argument(key, one) for key, one in _sorted(told, "args")],
            commands={name: child.build() for name, child in self.children.items()},
            aliases=aliases,
            hidden=told.get("hidden"),
            deprecated=bool(told.get("deprecationOptions")) or told.get("state") == "deprecated",
            kind="oclif",
        )


def _sorted(told: dict[str, Any], key: str) -> list[tuple[str, dict[str, Any]]]:
    return list(facts.named(told.get(key)))


def _options(key: str, node: dict[str, Any]) -> list[Option | None]:
    name = facts.text(node.get("name")) or key
    char = facts.text(node.get("char"))
    flags = [f"-{char}"] if len(char) == 1 else []
    takes_value = node.get("type") != "boolean"
    known = facts.option(
        [*flags, f"--{name}"],
        takes_value=takes_value,
        description=node.get("summary") or node.get("description"),
        placeholder=facts.text(node.get("helpValue")),
        choices=node.get("options"),
        default=node.get("default"),
        required=node.get("required"),
        repeats=node.get("multiple"),
        hidden=node.get("hidden"),
        env=node.get("env"),
        deprecated=bool(node.get("deprecated")),
    )
    if takes_value or node.get("allowNo") is not True:
        return [known]
    no = facts.option([f"--no-{name}"], takes_value=False, description=f"Not: {name}")
    return [known, no]


def _argument(key: str, node: dict[str, Any]) -> Argument:
    return facts.argument(
        node.get("name") or key,
        description=node.get("description"),
        required=node.get("required") is True,
        repeats=node.get("multiple"),
        choices=node.get("options"),
        default=node.get("default"),
    )
