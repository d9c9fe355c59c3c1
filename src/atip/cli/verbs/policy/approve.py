"""Show what the policy file of the current project would allow, and approve it. Confirmed on the terminal: no option confirms for you.

The approval is for this path and this content; any change needs a new approval. Without approval only rules that narrow apply. Rules of a
project never grant network access, a secret or a privilege.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": False,
    "interactive": {"stdin": "none", "prompts": True, "tty": True},
}
EXAMPLES = ("atip policy approve",)


def configure(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.registry.project_policy import read_project
    from atip.system.workspace.approvals import ProjectApprovals

    path = project_file(ctx)
    project = read_project(path)
    rules = [" ".join(rule.words or ()) for rule in project.offered]
    approvals = ProjectApprovals(ctx.app.places.config)
    was = approvals.holds(project.digest)
    if rules and not was:
        ctx.note(f"{clean(path)} would let agents run, in this project, without asking:")
        for text in rules:
            ctx.note(f"  {clean(text)}")
        for refused in project.refused:
            ctx.note(f"  ignored: {clean(refused.rule.name)}: {refused.why}")
        if not ctx.confirm("Approve this file as it is now?"):
            ctx.note("nothing was changed")
            return 1
        approvals.remember(project.digest, path)
    if ctx.as_json:
        ctx.emit({"path": path, "digest": project.digest, "allows": rules, "approved": bool(rules)})
    elif rules:
        ctx.print(f"{path}: {'already approved' if was else 'approved'}")
    else:
        ctx.print(f"{path}: allows nothing; no approval needed")
    return 0


def project_file(ctx: Context) -> str:
    """The policy file of the current project.

    Raises:
        NotFoundError: `policy.no-project`.
    """
    import os

    from atip.errors import NotFoundError
    from atip.system.paths import find_project

    folder = find_project(os.getcwd(), ctx.app.places.home)
    path = os.path.join(folder, "policy.json") if folder else ""
    if not path or not os.path.lexists(path):
        raise NotFoundError("policy.no-project", "this project has no policy file", hint="atip policy init")  # fmt: skip
    return path
