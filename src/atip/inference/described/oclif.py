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
    for key, node in facts.pairs(document["commands"]):
        root.put(str(node.get("id") or key).split(":"), node)
    return root.build(), facts.text(document.get("version"))


class _Node:
    """A topic while ids are sorted into the tree."""

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.node: dict[str, Any] = {}

    def put(self, path: list[str], node: dict[str, Any]) -> None:
        here = self
        for part in path[: facts.MAX_DEPTH]:
            if part:
                here = here.children.setdefault(part, _Node())
        here.node = node

    def build(self) -> Command:
        node = self.node
        aliases = [one.rsplit(":", 1)[-1] for one in facts.words(node.get("aliases"))]
        return facts.command(
            description=node.get("summary") or node.get("description"),
            options=[
                one for key, flag in facts.pairs(node.get("flags")) for one in _options(key, flag)
            ],
            arguments=[_argument(key, one) for key, one in facts.pairs(node.get("args"))],
            commands={name: child.build() for name, child in self.children.items()},
            aliases=aliases,
            hidden=node.get("hidden"),
            deprecated=bool(node.get("deprecationOptions")) or node.get("state") == "deprecated",
            kind="oclif",
        )


def _options(key: str, node: dict[str, Any]) -> list[Option | None]:
    name = facts.text(node.get("name")) or key
    char = facts.text(node.get("char"))
    flags = [f"-{char}"] if len(char) == 1 else []
    takes_value = node.get("type") != "boolean"
    option = facts.option(
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
        return [option]
    no = facts.option([f"--no-{name}"], takes_value=False, description=f"Not: {name}")
    return [option, no]


def _argument(key: str, node: dict[str, Any]) -> Argument:
    return facts.argument(
        node.get("name") or key,
        description=node.get("description"),
        required=node.get("required") is True,
        repeats=node.get("multiple"),
        choices=node.get("options"),
        default=node.get("default"),
    )
