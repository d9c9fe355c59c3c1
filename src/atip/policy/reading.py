"""Reading policies: three documents, one value.

| document | becomes |
|---|---|
| `{"policy": …}` (ATIP 0.6 §4.8, and our own file) | rules, preset, demands, grants |
| `{"permissionPolicy": …}` (ATIP 0.1 §5.2) | `autoApprove` an allow rule, the rest ask and deny rules; default ask |
| `{"delegation": …}` (§10.2) | a layer that only restricts |

Unknown fields and facts are errors: a misspelled one could silently allow. Pure.
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
        FormatError: with all problems. An invalid policy stops the run.
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
    """Reads a document and collects its problems."""

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

    def _rule(self, body: Mapping[str, Any], index: int) -> Rule:
        path = f"$.policy.rules[{index}]"
        facts: dict[str, bool] = {}
        paths = _optional(body, "paths")
        for text, value in body.get("effects", {}).items():
            if text.removeprefix("effects.") == _PATHS and isinstance(value, list):
                paths = (*(paths or ()), *value)
                continue
            name = self._fact(text, f"{path}.effects")
            if name:
                facts[name] = self._truth(value, f"{path}.effects.{text[:60]}")
        within = body.get("within")
        if within is not None:
            within = tuple(self._danger(text, f"{path}.within") for text in within)
        return Rule(
            decision=body["decision"],
            name=body.get("name", f"rule {index + 1}"),
            tools=_optional(body, "tools"),
            commands=_optional(body, "commands"),
            options=_optional(body, "options"),
            effects=facts,
            within=within,
            paths=paths,
            hosts=_optional(body, "hosts"),
            trust=_optional(body, "trust"),
            evidence=_optional(body, "evidence"),
            words=_optional(body, "words"),
            folders=self._folders(body, path),
            until=self._until(body, path),
            unsafe_unconfined=body.get("unsafeUnconfined") is True,
            reason=body.get("reason", ""),
            pin=body.get("pin", ""),
            once=body.get("once") is True,
            match=tuple(body.get("match", ())),
            not_match=tuple(body.get("not_match", ())),
        )

    def _folders(self, body: Mapping[str, Any], path: str) -> tuple[str, ...] | None:
        folders = _optional(body, "folders")
        if any(not folder.startswith("/") for folder in folders or ()):
            self._add(
                f"{path}.folders", "policy.relative-folder", "`folders` must be absolute paths", ()
            )
        return folders

    def _until(self, body: Mapping[str, Any], path: str) -> str:
        until = str(body.get("until", ""))
        # SECURITY: compared as text, so it must be written in one way
        if until and not _MOMENT.fullmatch(until):
            self._add(
                f"{path}.until",
                "policy.not-a-time",
                "`until` must be a UTC time such as 2026-01-15T10:30:00Z",
                (),
            )
        return until

    def permissions(self, body: Mapping[str, Any]) -> Policy:
        rules: list[Rule] = []
        approve = body.get("autoApprove")
        if approve is not None:
            rules.append(self._approve(approve))
        for key, decision in (("requireConfirmation", ASK), ("deny", DENY)):
            rules += self._each(body.get(key, {}), decision, f"$.permissionPolicy.{key}")
        return Policy(layer=self.layer, name=self.origin, rules=tuple(rules), default=ASK)

    def _approve(self, facts: Mapping[str, Any]) -> Rule:
        """Dangers approved with true may be present; every other must be known to be absent."""
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
            # SECURITY: a tool's own claims approve nothing (0.1 §5.1)
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
                expected = self._truth(value, f"{where}.{text[:60]}")
                rules.append(Rule(name=label, decision=decision, effects={name: expected}))
        return rules

    def _fact(self, text: str, path: str) -> str:
        name = full_name(text)
        if name is None:
            self._add(path, "effects.unknown-fact", f"unknown fact `{text[:60]}`", DANGERS)
            return ""
        return name

    def _danger(self, text: str, path: str) -> str:
        name = full_name(text)
        if name is None or name not in DANGERS:
            self._add(path, "effects.unknown-fact", f"unknown danger `{text[:60]}`", DANGERS)
            return ""
        return name

    def _truth(self, value: object, path: str) -> bool:
        if not isinstance(value, bool):
            self._add(path, "format.type", "expected true or false", ())
        return value is True

    def _add(self, path: str, code: str, message: str, allowed: tuple[str, ...]) -> None:
        hint = "known: " + ", ".join(allowed) if allowed else ""
        self.problems.append(Problem(path=path, code=code, message=message, hint=hint))


def _optional(body: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    """Absent is no condition; an empty list is a condition that nothing meets."""
    return tuple(body[key]) if key in body else None


def _trust(body: Mapping[str, Any]) -> TrustDemand:
    signers = body.get("allowedSigners")
    return TrustDemand(
        signatures=body.get("requireSignatures") is True or body.get("requireSignature") is True,
        signers=None
        if signers is None
        else tuple(s if isinstance(s, str) else str(s["identity"]) for s in signers),
        slsa_level=int(body.get("minimumSlsaLevel", 0)),
        builders=_optional(body, "builders"),
        sources=_optional(body, "sources"),
    )
