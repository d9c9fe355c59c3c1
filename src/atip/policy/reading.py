"""Reading policies: three documents, one value.

| document | becomes |
|---|---|
| `{"policy": …}` (ATIP 0.6 §4.8, and our own file) | rules, preset, demands, grants |
| `{"permissionPolicy": …}` (ATIP 0.1 §5.2) | `autoApprove` an allow rule, the rest ask and deny rules; default ask |
| `{"delegation": …}` (§10.2) | a layer that only takes away |

Shapes are closed and facts must exist: a misspelt word would silently allow. Pure.
"""

from __future__ import annotations

import re

from atip.errors import FormatError
from atip.model.permissions.delegation import decode_delegation
from atip.model.problems import Problem
from atip.model.reading.reader import read_json
from atip.model.shapes.check import check_shape
from atip.model.shapes.registry import PERMISSION_POLICY, POLICY
from atip.policy.command_context import ASSURANCES, DANGERS, full_name
from atip.policy.decision import ALLOW, ASK, DENY
from atip.policy.policy import Policy, Rule, TrustDemand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_PATHS = "filesystem.paths"
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def read_policy(data: bytes | dict[str, Any], *, layer: str, origin: str = "") -> Policy:
    """Read any of the three documents as one layer.

    Raises:
        FormatError: with all problems. A policy that is not understood allows nothing.
    """
    document = read_json(data) if isinstance(data, bytes) else data
    if isinstance(document, dict) and "delegation" in document:
        return Policy(layer=layer, name=origin, delegation=decode_delegation(document))
    permission = isinstance(document, dict) and "permissionPolicy" in document
    shape = PERMISSION_POLICY if permission else POLICY
    problems = [p for p in check_shape(document, shape, "strict") if p.severity == "error"]
    if problems or not isinstance(document, dict):
        raise _wrong(problems, origin)
    reader = _Reader(layer, origin)
    policy = (
        reader.permissions(document["permissionPolicy"])
        if permission
        else reader.policy(document["policy"])
    )
    if reader.problems:
        raise _wrong(reader.problems, origin)
    return policy


def _wrong(problems: list[Problem], origin: str) -> FormatError:
    first = problems[0]
    where = f"`{origin}`: " if origin else ""
    return FormatError(
        first.code, f"{where}{first.path}: {first.message}", problems=problems, hint=first.hint
    )


class _Reader:
    """Collects problems while a document becomes a value."""

    def __init__(self, layer: str, origin: str) -> None:
        self.layer, self.origin = layer, origin
        self.problems: list[Problem] = []

    def policy(self, body: Mapping[str, Any]) -> Policy:
        rules = [self._rule(rule, index) for index, rule in enumerate(body.get("rules", ()))]
        execution = body.get("execution", {})
        confirm = execution.get("requireConfirmation", {})
        rules += self._each(confirm, ASK, "$.policy.execution.requireConfirmation")
        grants = body.get("grants", {})
        budget = execution.get("budget")
        return Policy(
            layer=self.layer,
            name=str(body.get("organization", self.origin)),
            preset=body.get("preset"),
            rules=tuple(rules),
            default=body.get("default"),
            allowlist=body.get("approval", {}).get("mode") == "allowlist",
            trust=_trust(body["trust"]) if "trust" in body else None,
            budget=float(budget) if budget is not None else None,
            audit=execution.get("auditAllCalls") is True,
            sandbox=execution.get("sandbox", "required"),
            hosts=tuple(grants.get("hosts", ())),
            reads=tuple(grants.get("read", ())),
            writes=tuple(grants.get("write", ())),
            env=tuple(grants.get("env", ())),
            private=tuple(grants.get("private", ())),
            tcp=tuple(grants.get("tcp", ())),
            ingress=tuple(grants.get("ingress", ())),
            workspace=grants.get("workspace"),
            keep_output=execution.get("keepOutput"),
        )

    def _rule(self, written: Mapping[str, Any], index: int) -> Rule:
        path = f"$.policy.rules[{index}]"
        facts: dict[str, bool] = {}
        paths = _optional(written, "paths")
        for text, value in written.get("effects", {}).items():
            if text.removeprefix("effects.") == _PATHS and isinstance(value, list):
                paths = (*(paths or ()), *value)
                continue
            name = self._fact(text, f"{path}.effects")
            if name:
                facts[name] = self._truth(value, f"{path}.effects.{text[:60]}")
        within = written.get("within")
        if within is not None:
            within = tuple(self._danger(text, f"{path}.within") for text in within)
        return Rule(
            decision=written["decision"],
            name=written.get("name", f"rule {index + 1}"),
            tools=_optional(written, "tools"),
            commands=_optional(written, "commands"),
            options=_optional(written, "options"),
            effects=facts,
            within=within,
            paths=paths,
            hosts=_optional(written, "hosts"),
            trust=_optional(written, "trust"),
            evidence=_optional(written, "evidence"),
            words=_optional(written, "words"),
            folders=self._folders(written, path),
            until=self._until(written, path),
            unsafe_unconfined=written.get("unsafeUnconfined") is True,
            reason=written.get("reason", ""),
            pin=written.get("pin", ""),
            once=written.get("once") is True,
            match=tuple(written.get("match", ())),
            not_match=tuple(written.get("not_match", ())),
        )

    def _folders(self, written: Mapping[str, Any], path: str) -> tuple[str, ...] | None:
        found = _optional(written, "folders")
        if any(not each.startswith("/") for each in found or ()):
            self._add(f"{path}.folders", "policy.relative-folder", "a folder is not absolute", ())
        return found

    def _until(self, written: Mapping[str, Any], path: str) -> str:
        found = str(written.get("until", ""))
        # SECURITY: compared as text, so it must be written in one way
        if found and not _MOMENT.fullmatch(found):
            self._add(f"{path}.until", "policy.not-a-time", "expected 2026-01-15T10:30:00Z", ())
        return found

    def permissions(self, body: Mapping[str, Any]) -> Policy:
        rules: list[Rule] = []
        approve = body.get("autoApprove")
        if approve is not None:
            rules.append(self._approve(approve))
        for key, decision in (("requireConfirmation", ASK), ("deny", DENY)):
            rules += self._each(body.get(key, {}), decision, f"$.permissionPolicy.{key}")
        return Policy(layer=self.layer, name=self.origin, rules=tuple(rules), default=ASK)

    def _approve(self, facts: Mapping[str, Any]) -> Rule:
        """What is approved with true may be there, everything else must be known absent."""
        where = "$.permissionPolicy.autoApprove"
        allowed, demanded = ["subprocess", "interactive.prompts", "interactive.tty"], {}
        paths: tuple[str, ...] | None = None
        for text, value in facts.items():
            if text.removeprefix("effects.") == _PATHS and isinstance(value, list):
                paths = tuple(value)
                continue
            name = self._fact(text, where)
            if not name:
                continue
            if self._truth(value, f"{where}.{text[:60]}") is (name not in ASSURANCES):
                allowed.append(name)
            else:
                demanded[name] = value
        return Rule(
            name="autoApprove", decision=ALLOW, within=tuple(allowed), effects=demanded, paths=paths,
            # SECURITY: what a tool says of itself approves nothing (0.1 §5.1)
            evidence=("knowledge", "shell", "override", "observed"),
        )  # fmt: skip

    def _each(self, facts: Mapping[str, Any], decision: str, where: str) -> list[Rule]:
        """One rule per fact: any of them is enough."""
        rules: list[Rule] = []
        key = where.rpartition(".")[2]
        for text, value in facts.items():
            label = f"{key} {text.removeprefix('effects.')}"
            if text.removeprefix("effects.") == _PATHS and isinstance(value, list):
                rules.append(Rule(name=label, decision=decision, paths=tuple(value)))
                continue
            name = self._fact(text, where)
            if name:
                wanted = self._truth(value, f"{where}.{text[:60]}")
                rules.append(Rule(name=label, decision=decision, effects={name: wanted}))
        return rules

    def _fact(self, text: str, path: str) -> str:
        name = full_name(text)
        if name is None:
            self._add(path, "effects.unknown-fact", f"no fact `{text[:60]}`", DANGERS)
            return ""
        return name

    def _danger(self, text: str, path: str) -> str:
        name = full_name(text)
        if name is None or name not in DANGERS:
            self._add(path, "effects.unknown-fact", f"no danger `{text[:60]}`", DANGERS)
            return ""
        return name

    def _truth(self, value: object, path: str) -> bool:
        if not isinstance(value, bool):
            self._add(path, "format.type", "expected true or false", ())
        return value is True

    def _add(self, path: str, code: str, message: str, known: tuple[str, ...]) -> None:
        hint = "known: " + ", ".join(known) if known else ""
        self.problems.append(Problem(path=path, code=code, message=message, hint=hint))


def _optional(written: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    """Absent is no condition; an empty list is a condition that nothing meets."""
    return tuple(written[key]) if key in written else None


def _trust(written: Mapping[str, Any]) -> TrustDemand:
    signers = written.get("allowedSigners")
    return TrustDemand(
        signatures=written.get("requireSignatures") is True
        or written.get("requireSignature") is True,
        signers=None
        if signers is None
        else tuple(s if isinstance(s, str) else str(s["identity"]) for s in signers),
        slsa_level=int(written.get("minimumSlsaLevel", 0)),
        builders=_optional(written, "builders"),
        sources=_optional(written, "sources"),
    )
