"""TOOL.md of a bundle as a value: inputs, outputs, argument template, narrowing, what it changes.

The template stands in `runner.argv` (older bundles) or in a DRIVER.md beside (`implements[].metadata.cli.argv`);
without one the subcommand takes its inputs as options of the same name. Implements AIP-14 and AIP-29 "Args
template"; RESOLUTIONS P3, P19.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.codecs.climd.check import driver_argv, tool_sandbox
from atip.model.effects import NO_EXTRA, Cost, Effects, Filesystem
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

EXTERNAL = ("external", "network", "http", "https", "api", "database")
"""Classes of `mutates` that are not files of this machine."""


class BundleTool(Value):
    """One subcommand as the agent calls it."""

    path: tuple[str, ...]
    """Words after the program."""
    ref: str
    """Path of its TOOL.md, relative to the bundle."""
    id: str = ""
    name: str = ""
    description: str = ""
    version: str = ""
    inputs: Mapping[str, Any] = NO_EXTRA
    """JSON Schema; empty: unknown, and no inputs are accepted."""
    outputs: Mapping[str, Any] = NO_EXTRA
    argv: tuple[str, ...] | None = None
    """Template including the subcommand words; None: derived from the inputs."""
    sandbox: Mapping[str, Any] | None = None
    """Narrowing; None: the bundle's sandbox as it is."""
    mutates: tuple[str, ...] = ()
    approval: str = "auto"
    risk_level: int | None = None
    idempotent: bool | None = None
    cost_class: str | None = None
    timeout_s: float | None = None
    has_document: bool = True
    """Whether the TOOL.md exists; a manifest alone must work too."""

    @property
    def template(self) -> tuple[str, ...]:
        """The argument template; derived from the inputs if the bundle has none."""
        if self.argv is not None:
            return self.argv
        words = list(self.path)
        properties = self.inputs.get("properties")
        for name, schema in (properties if isinstance(properties, dict) else {}).items():
            flag = f"--{name.replace('_', '-')}"
            if isinstance(schema, dict) and schema.get("type") == "boolean":
                words.append(f"${{input.{name} | flag('{flag}')}}")
            else:
                words.append(f"${{input.{name} | optional('{flag}')}}")
        return tuple(words)


def read_tool(
    path: tuple[str, ...],
    ref: str,
    fields: Mapping[str, Any] | None,
    drivers: Mapping[str, Any] | None = None,
) -> BundleTool:
    """Read the fields of a TOOL.md; `fields` is None if the file does not exist.

    Args:
        drivers: argument templates by reference, from a DRIVER.md.
    """
    driver_argv_template = (drivers or {}).get(ref)
    if fields is None:
        return BundleTool(
            path=path,
            ref=ref,
            id=".".join(path),
            argv=_words(driver_argv_template),
            has_document=False,
        )
    runner = fields.get("runner")
    argv = runner.get("argv") if isinstance(runner, dict) else None
    timeout = fields.get("timeout_ms")
    risk = fields.get("risk_level")
    return BundleTool(
        path=path,
        ref=ref,
        id=_text(fields, "id") or ".".join(path),
        name=_text(fields, "name") or " ".join(path),
        description=_text(fields, "description") or "",
        version=_text(fields, "version") or "",
        inputs=_schema(fields.get("inputs")),
        outputs=_schema(fields.get("outputs")),
        argv=_words(argv if argv is not None else driver_argv_template),
        sandbox=tool_sandbox(fields),
        mutates=tuple(target for target in fields.get("mutates") or () if isinstance(target, str)),
        approval=_text(fields, "approval") or "auto",
        risk_level=risk if isinstance(risk, int) and not isinstance(risk, bool) else None,
        idempotent=fields["idempotent"] if isinstance(fields.get("idempotent"), bool) else None,
        cost_class=_text(fields, "cost_class"),
        timeout_s=timeout / 1000 if isinstance(timeout, int) and timeout > 0 else None,
    )


def driver_templates(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Argument templates of a DRIVER.md by TOOL.md reference."""
    templates: dict[str, Any] = {}
    for entry in fields.get("implements") or ():
        if isinstance(entry, dict) and isinstance(entry.get("tool"), str):
            argv = driver_argv(entry)
            if argv is not None:
                templates[entry["tool"]] = argv
    return templates


def effects_of_tool(tool: BundleTool, sandbox: Mapping[str, Any]) -> Effects:
    """Effects according to the documents: `mutates`, `risk_level`, and what the sandbox excludes.

    The sandbox is enforced, so what it excludes is excluded; what it allows is only possible. `risk_level: 0` alone
    does not clear any effect.
    """
    block = {**sandbox, **(tool.sandbox or {})}
    egress = (block.get("network") or {}).get("egress")
    writes = (block.get("fs") or {}).get("write")
    execution = block.get("exec") or {}
    outside = tuple(target for target in tool.mutates if target.partition(":")[0] in EXTERNAL)
    local = len(outside) < len(tool.mutates)
    return Effects(
        filesystem=Filesystem(
            read=True,
            write=True if local else (False if writes == [] else None),
            delete=False if writes == [] else None,
        ),
        network=True if outside else (False if egress == [] else None),
        subprocess=False if execution.get("allow") is False else None,
        idempotent=tool.idempotent,
        reversible=False if tool.risk_level == 3 else None,
        destructive=True
        if tool.risk_level == 3
        else (False if writes == [] and egress == [] else None),
        modifies=outside or None,
        cost=Cost(billable=True) if tool.cost_class in ("metered", "expensive") else Cost(),
    )


def _words(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)):
        return None
    return tuple(str(word) for word in value)


def _schema(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else NO_EXTRA


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None
