"""Find what a bundle needs to be ready, and the command that fixes it. Pure: reads a status and a proposal."""

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
    """One check of a bundle, and how to fix it."""

    ok: bool
    what: str
    fix: str = ""
    """A command; empty: no command fixes it."""

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
    """List checks of all phases, in the order in which to fix them."""
    folder = bundle.folder
    advice = [Advice(ok=False, what=reason) for reason in unmet] or [
        Advice(ok=True, what="the machine meets the requirements")
    ]
    advice += [
        Advice(ok=problem.severity != "error", what=f"{problem.path}: {problem.message}")
        for problem in bundle.problems
    ]
    if not is_installed:
        advice.append(Advice(ok=False, what="not installed", fix=f"atip bundle install {folder}"))
        advice += _method_advice(proposal)
    else:
        advice += _check_installed(finding, folder)
    advice += [
        Advice(ok=False, what=change.message, fix=f"atip bundle install {folder}")
        for change in changes
        if change.needs_review
    ]
    advice += [
        Advice(
            ok=False, what=f"setup step `{step.id}` is pending", fix=f"atip bundle setup {folder}"
        )
        for step in pending
    ]
    if auth == "authed":
        advice.append(Advice(ok=True, what="logged in"))
    elif auth != "none":
        advice.append(Advice(ok=False, what="not logged in", fix=f"atip bundle login {folder}"))
    return advice


def _check_installed(finding: VersionFinding | None, folder: str) -> list[Advice]:
    if finding is None or finding.ok:
        version = f", version {finding.printed}" if finding else ""
        return [Advice(ok=True, what=f"installed{version}")]
    return [Advice(ok=False, what=finding.reason, fix=f"atip bundle install --again {folder}")]


def _method_advice(proposal: InstallProposal | None) -> list[Advice]:
    """Each install method, whether it works here, and its steps."""
    if proposal is None:
        return []
    advice = []
    if proposal.present:
        advice.append(
            Advice(ok=True, what=f"{proposal.present} exists and has an accepted version")
        )
    for plan in proposal.plans:
        if plan.is_possible:
            steps = "; ".join(action.render() for action in plan.actions)
            advice.append(Advice(ok=True, what=f"{plan.method}: {steps}"))
        else:
            advice.append(Advice(ok=False, what=f"{plan.method}: {plan.why_not}", fix=plan.hint))
    return advice
