"""A project's own policy file: rules that narrow apply at once, rules that allow only after approval of exactly this content.

The approval is for the path and the parsed content; the value that was checked is the value that is used. Only rules that spell a call out
(`words`) can allow, and never the network, a secret or a privilege.
"""

from __future__ import annotations

import json
import os
from typing import Any

from atip.model.reading.reader import read_json
from atip.model.value import Value
from atip.policy.decision import ALLOW
from atip.policy.policy import IgnoredRule, Policy, Rule
from atip.policy.reading import read_policy
from atip.system.digests import sha256_hex
from atip.system.files import read_bytes
from atip.system.workspace.approvals import ProjectApprovals

MAX_BYTES = 1_000_000
NOT_APPROVED = "the file is not approved on this machine; review it, then run `atip policy approve` in a terminal"
NOT_SPELLED = "a project can allow only by `words`"


class ProjectPolicy(Value):
    """One file, read once."""

    path: str
    policy: Policy
    """Rules that narrow."""
    offered: tuple[Rule, ...]
    """Rules that allow, once approved."""
    refused: tuple[IgnoredRule, ...]
    """Rules that would allow in a way that a project cannot."""
    digest: str
    """Digest that an approval is bound to."""


def read_project(path: str) -> ProjectPolicy:
    """
    Raises:
        FormatError: with all problems.
    """
    document: Any = read_json(read_bytes(path, MAX_BYTES))
    policy = read_policy(document, layer="project", origin=path)
    folder = os.path.realpath(os.path.dirname(os.path.dirname(path)))
    allowing = [rule for rule in policy.rules if rule.decision == ALLOW]
    spelled = [rule for rule in allowing if rule.words and rule.hosts is None and not rule.pin]
    proposals = tuple(
        rule.replace(
            project=True, folders=_inside(rule.folders, folder), once=False, unsafe_unconfined=False
        )
        for rule in spelled
    )
    refused = tuple(
        IgnoredRule(rule=rule, why=NOT_SPELLED) for rule in allowing if rule not in spelled
    )
    text = json.dumps(document, sort_keys=True, ensure_ascii=True)
    parts = json.dumps(["policy", os.path.realpath(path), text])
    return ProjectPolicy(
        path=path, policy=policy, offered=proposals, refused=refused,
        digest=f"sha256:{sha256_hex(parts.encode())}",
    )  # fmt: skip


def project_layers(path: str, config: str) -> tuple[Policy, tuple[Rule, ...]]:
    """The project's layer, and the approved rules that join the user's.

    Args:
        config: the user's configuration folder, where approvals are kept.
    """
    project = read_project(path)
    approved = bool(project.offered) and ProjectApprovals(config).holds(project.digest)
    pending = (
        () if approved else tuple(IgnoredRule(rule=r, why=NOT_APPROVED) for r in project.offered)
    )
    layer = project.policy.replace(ignored=(*project.refused, *pending))
    return layer, project.offered if approved else ()


def _inside(folders: tuple[str, ...] | None, root: str) -> tuple[str, ...]:
    """SECURITY: a project's rules apply only to the project itself."""
    inside = tuple(
        folder for folder in folders or () if folder == root or folder.startswith(root + "/")
    )
    return inside if folders is not None else (root,)
