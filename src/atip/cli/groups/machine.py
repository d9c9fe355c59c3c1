"""Data for `atip ui`, from the toolbox. Texts are redacted and escaped here, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.cli.groups.machine_log import log_rows, shown, shown_words
from atip.errors import AtipError, NotFoundError
from atip.model.text.visible_text import clean
from atip.pages.names import page_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.cli.context import Context
    from atip.model.tool import Tool
    from atip.toolbox import Explanation

    Rows = list[dict[str, Any]]

_MAX_RECORDS = 500
_SOURCES = {
    "native": "the program itself",
    "framework": "its framework",
    "completion": "completion script",
    "man": "manual page",
    "help": "help text",
    "shim": "registry",
    "knowledge": "curated knowledge",
    "adapter": "bundle or CMP document",
    "override": "your own file",
}
"""Kinds of metadata sources as pages name them; any other is shown as it is."""


class LocalMachine:
    """One user's tools, log, approvals and policies; every call reads them again."""

    def __init__(self, ctx: Context, cwd: str) -> None:
        self._ctx, self._cwd = ctx, cwd
        self.name = "This machine"

    def tools(self) -> Rows:
        """Every tool of the store, by name."""
        rows = []
        for entry in self._ctx.app.list():
            own = entry.get("x-atip") or {}
            source = str(own.get("rung", entry.get("source", "unknown")))
            rows.append(
                {
                    "raw": entry["name"],
                    "name": clean(entry["name"]),
                    "address": page_address(entry["name"]),
                    "text": clean(str(own.get("description", ""))),
                    "source": clean(_SOURCES.get(source, source)),
                }
            )
        return sorted(rows, key=lambda row: row["name"])

    def tool(self, name: str) -> Tool:
        """
        Raises:
            NotFoundError: `tool.unknown`.
        """
        tool = self._ctx.app.find(name)
        if tool is None:
            raise NotFoundError("tool.unknown", f"no metadata for `{clean(name[:80])}`", hint="`atip scan` finds installed tools")  # fmt: skip
        return tool

    def explain(self, line: str) -> dict[str, Any]:
        """The decision on a line, its reasons, and its words one by one."""
        from atip.pages.line_words import explain_words

        explained = self._ctx.app.explain(line, cwd=self._cwd)
        words = [explain_words(subject) for subject in explained.invocations]
        return {
            "presets": {"in force here": explained.to_json()},
            "reasons": {"in force here": _reasons(explained)},
            "words": words,
        }

    def decide(self, line: str) -> dict[str, Any]:
        """The rule that decides for a line, with its layer."""
        explained = self._ctx.app.explain(line, cwd=self._cwd)
        decision = explained.decision
        return {
            "decision": decision.outcome,
            "rule": shown(decision.rule),
            "reasons": _reasons(explained),
        }

    def log(self, after: int) -> Rows:
        """Records newer than the one of this number, the newest first."""
        return log_rows(self._ctx.app.audit.records(), after, _MAX_RECORDS)

    def table(self, name: str) -> dict[str, Any]:
        """One of the tables of the menu."""
        tables = {
            "approvals": self._approvals,
            "policies": self._policies,
            "bundles": self._bundles,
            "registries": self._registries,
            "doctor": self._doctor,
        }
        return tables[name]()

    def revoke(self, name: str) -> None:
        """
        Raises:
            NotFoundError: `approvals.unknown`.
        """
        from atip.execution.approvals import Approvals

        approvals = Approvals(self._ctx.app.places.config)
        if name not in [approval.id for approval in approvals.list()]:
            raise NotFoundError("approvals.unknown", f"no remembered approval `{clean(name[:40])}`")
        approvals.forget(name)

    def _approvals(self) -> dict[str, Any]:
        from atip.execution.approvals import Approvals

        lead = "Remembered answers for exactly the same call. Approvals are granted on the terminal only."
        rows = [
            {"id": approval.id, "cells": [shown_words(approval.argv), shown(approval.cwd), str(approval.to_json()["untilText"])[:16].replace("T", " "), approval.id]}
            for approval in Approvals(self._ctx.app.places.config).list()
        ]  # fmt: skip
        empty = "No approval is remembered. `atip run` asks on the terminal and can remember the answer."
        return _table(lead, ("Command", "Directory", "Until (UTC)", "Id"), rows, empty=empty)

    def _policies(self) -> dict[str, Any]:
        from atip.policy.presets import PRESETS
        from atip.registry.policies import load_policies

        rows = []
        for policy in load_policies(self._ctx.app.places, self._cwd):
            built_in, default = PRESETS.get(policy.preset or "", ((), policy.default or ""))
            for rule in (*policy.rules, *built_in):
                cells = [policy.layer, rule.decision, rule.name, rule.reason]
                rows.append({"state": rule.decision, "cells": cells})
            source = f"preset {policy.preset}" if policy.preset else ""
            rows.append({"state": default, "cells": [policy.layer, default, "otherwise", source]})
        lead = (
            "Rules by layer, the widest first. A later layer can only narrow; the strictest decision counts. "
            "A rule named `always` is built in and holds under every policy."
        )
        return _table(lead, ("Layer", "Decision", "Rule", "Reason"), rows, badge=1)

    def _bundles(self) -> dict[str, Any]:
        from atip.cli.groups.bundle_surface import make_host

        rows = []
        host = make_host(self._ctx)
        for key in host.store.list_keys():
            try:
                status = host.status(host.load(host.store.get(key).folder), look=False)
                rows.append(
                    {
                        "cells": [
                            status.key,
                            status.phase,
                            "not needed" if status.auth == "none" else status.auth,
                        ]
                    }
                )
            except AtipError as error:
                rows.append({"cells": [key, "cannot be read", error.message]})
        lead = "The last known state; this page starts no program."
        empty = "No bundle is installed. `atip bundle install` adds one."
        return _table(lead, ("Bundle", "State", "Login"), rows, empty=empty)

    def _registries(self) -> dict[str, Any]:
        rows = []
        for registry in self._ctx.app.registries.list():
            state, label = _freshness(registry)
            refreshed = registry["refreshed"] or ""
            cells = [registry["name"], registry["url"], str(registry["shims"]), label, refreshed, registry["lastError"] or ""]  # fmt: skip
            rows.append({"state": state, "cells": cells})
        empty = "No registry is configured. `atip registry add URL` adds one."
        columns = ("Name", "Address", "Shims", "State", "Refreshed", "Last error")
        return _table("In lookup order.", columns, rows, badge=3, empty=empty)

    def _doctor(self) -> dict[str, Any]:
        from atip.cli.verbs.machine.doctor import passive_checks

        lead = "Checks that start no process and write no file."
        return _checks(lead, passive_checks())

    def run_doctor(self) -> dict[str, Any]:
        """Every check of `atip doctor`: writes a test file, starts confined processes."""
        from atip.cli.verbs.machine.doctor import all_checks

        return _checks("All checks of `atip doctor`, run just now.", all_checks(self._ctx))


def _reasons(explained: Explanation) -> Rows:
    from atip.pages.line_words import reasons_by_command

    groups = reasons_by_command(explained.invocations, explained.decisions, explained.decision)
    return [
        {"command": shown(one["command"]), "reasons": [shown(text) for text in one["reasons"]]}
        for one in groups
    ]


def _checks(lead: str, checks: list[dict[str, Any]]) -> dict[str, Any]:
    rows = []
    for check in checks:
        works, needed = check["works"], check["needed"]
        state = "safe" if works else "does" if needed else "unknown"
        label = "works" if works else "missing" if needed else "not installed"
        rows.append(
            {"state": state, "cells": [label, check["name"], check["detail"], check["how"]]}
        )
    return _table(lead, ("State", "Check", "Detail", "What to do"), rows, badge=0)


def _freshness(registry: dict[str, Any]) -> tuple[str, str]:
    """State and label of a registry, from its last request and how long an answer stays fresh."""
    from atip.registry.remote.session_options import RegistrySessionOptions
    from atip.system.clock import from_iso, now

    refreshed = from_iso(registry["refreshed"] or "")
    if registry["lastError"]:
        return "does", "last request failed"
    if refreshed is None:
        return "unknown", "never queried"
    hours = (now() - refreshed) / 3600
    return (
        ("safe", "fresh")
        if hours * 3600 < RegistrySessionOptions().expiry_s
        else ("may", f"{hours:.0f} h old")
    )


def _table(
    lead: str, columns: Sequence[str], rows: Rows, *, badge: int = -1, empty: str = ""
) -> dict[str, Any]:
    """
    Args:
        badge: the column shown as a badge; its kind is the row's `state`.
        empty: text to show without rows.
    """
    visible_rows = [{**row, "cells": [shown(cell) for cell in row["cells"]]} for row in rows]
    return {
        "lead": lead,
        "columns": list(columns),
        "rows": visible_rows,
        "badge": badge,
        "empty": empty,
    }
