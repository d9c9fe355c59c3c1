"""What is missing for a bundle to be ready, and the exact command that gets it. Pure: looks at a status and a proposal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.governance import BundleChange
    from atip.bundles.installing import InstallProposal
    from atip.bundles.versions import VersionFinding
    from atip.codecs.climd.manifest import BundleStep


class Advice(Value):
    """One thing, and what to do about it."""

    ok: bool
    what: str
    fix: str = ""
    """A command; empty: nothing can be done from here."""

    def to_json(self) -> dict[str, object]:
        return {"ok": self.ok, "what": self.what, "fix": self.fix or None}


def advise(
    bundle: Bundle,
    *,
    is_installed: bool,
    unmet: Sequence[str] = (),
    proposal: InstallProposal | None = None,
    finding: VersionFinding | None = None,
    changes: Sequence[BundleChange] = (),
    pending: Sequence[BundleStep] = (),
    auth: str = "none",
) -> list[Advice]:
    """Everything from the first to the last phase, in the order in which it has to be done."""
    folder = bundle.folder
    found = [Advice(ok=False, what=reason) for reason in unmet] or [
        Advice(ok=True, what="the machine fits")
    ]
    found += [
        Advice(ok=problem.severity != "error", what=f"{problem.path}: {problem.message}")
        for problem in bundle.problems
    ]
    if not is_installed:
        found.append(Advice(ok=False, what="not installed", fix=f"atip bundle install {folder}"))
        found += _ways(proposal)
    else:
        found += _installed(finding, folder)
    found += [
        Advice(ok=False, what=change.message, fix=f"atip bundle install {folder}")
        for change in changes
        if change.needs_review
    ]
    found += [
        Advice(
            ok=False, what=f"setup step `{step.id}` is pending", fix=f"atip bundle setup {folder}"
        )
        for step in pending
    ]
    if auth == "authed":
        found.append(Advice(ok=True, what="logged in"))
    elif auth != "none":
        found.append(Advice(ok=False, what="not logged in", fix=f"atip bundle login {folder}"))
    return found


def _installed(finding: VersionFinding | None, folder: str) -> list[Advice]:
    if finding is None or finding.ok:
        version = f", version {finding.written}" if finding else ""
        return [Advice(ok=True, what=f"installed{version}")]
    return [Advice(ok=False, what=finding.reason, fix=f"atip bundle install --again {folder}")]


def _ways(proposal: InstallProposal | None) -> list[Advice]:
    """Each way to install, whether it works here, and what it would take."""
    if proposal is None:
        return []
    found = []
    if proposal.present:
        found.append(Advice(ok=True, what=f"{proposal.present} is there and will do"))
    for plan in proposal.plans:
        if plan.is_possible:
            steps = "; ".join(action.render() for action in plan.actions)
            found.append(Advice(ok=True, what=f"{plan.method}: {steps}"))
        else:
            found.append(Advice(ok=False, what=f"{plan.method}: {plan.why_not}", fix=plan.hint))
    return found
