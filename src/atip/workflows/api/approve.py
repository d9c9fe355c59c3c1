"""A project's API configuration is used after a person agreed to what it starts, reads and reaches; see `apis.approval`."""

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
    """Return if a person agreed to this very configuration, or agrees now.

    Args:
        source: the one that is about to be called; with `origin`, where its document says requests go. A credential goes to an
            origin that was agreed to: one that only a document names is part of the question.
        calling: requests would be sent; False: a description is read, from a host that gets no credential.
        ask: reaches the user; None: nobody can be asked.

    Raises:
        NeedsConfirmation: `api.not-approved`.
        Denied: `consent.refused`.
    """
    told = config.get(source) if source else None
    named = told is None or not has_secrets(told) or any(key in told.settings for key in _BASES)
    bound = "" if named else origin
    dangers = tuple(each for each in find_dangers(config) if calling or each.kind != "host")
    if not dangers and not bound:
        return
    approvals = ProjectApprovals(host.places.config)
    digest = digest_of(config, bound)
    if approvals.holds(digest):
        return
    reasons = tuple(each.to_text() for each in dangers) + (
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
            f"what `{path}` would do is not approved: {'; '.join(reasons)}",
            hint="look at it, then run `atip api approve` in a terminal",
            details={"digest": digest, "reasons": list(reasons)},
        ) from error
    approvals.remember(digest, path)
