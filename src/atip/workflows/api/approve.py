"""Approval of a project's API configuration: what it starts, reads and reaches; see `apis.approval`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.apis.approval import digest_of, find_dangers, has_secrets
from atip.errors import NeedsConfirmation
from atip.execution.consent import Question, Tokens, obtain
from atip.system.workspace.approvals import ProjectApprovals

if TYPE_CHECKING:
    from atip.apis.config import ApiConfig
    from atip.execution.consent import ConsentPrompt
    from atip.workflows.host import Host

_BASES = ("baseUrl", "endpoint", "url", "command")


def require_approval(
    host: Host,
    config: ApiConfig,
    *,
    source: str = "",
    origin: str = "",
    calling: bool = True,
    ask: ConsentPrompt | None = None,
) -> None:
    """Return if the user approved this exact configuration, or approves it now.

    Args:
        source: the source to call; with `origin`, the server that its document names. A credential is sent only to an
            approved origin: one that only a document names is part of the prompt.
        calling: requests will be sent; False: only reads a description, from a host that gets no credential.
        ask: prompts the user; None: raise instead.

    Raises:
        NeedsConfirmation: `api.not-approved`.
        Denied: `consent.refused`.
    """
    source_config = config.get(source) if source else None
    has_fixed_origin = (
        source_config is None
        or not has_secrets(source_config)
        or any(key in source_config.settings for key in _BASES)
    )
    bound = "" if has_fixed_origin else origin
    dangers = tuple(danger for danger in find_dangers(config) if calling or danger.kind != "host")
    if not dangers and not bound:
        return
    approvals = ProjectApprovals(host.places.config)
    digest = digest_of(config, bound)
    if approvals.holds(digest):
        return
    reasons = tuple(danger.to_text() for danger in dangers) + (
        (f"sends its credential to {bound}",) if bound else ()
    )
    path = os.path.realpath(config.folder)
    question = Question(
        argv=("atip", "api", "approve", "--config", path),
        program=path,
        digest=digest,
        cwd=path,
        starts_in=path,
        reasons=("this project's API configuration is new or has changed", *reasons),
        binding=digest,
    )
    tokens = Tokens()
    try:
        tokens.redeem(obtain(question, ask, tokens), digest)
    except NeedsConfirmation as error:
        raise NeedsConfirmation(
            "api.not-approved",
            f"`{path}` is not approved: {'; '.join(reasons)}",
            hint="review the file, then run `atip api approve` in a terminal",
            details={"digest": digest, "reasons": list(reasons)},
        ) from error
    approvals.remember(digest, path)
