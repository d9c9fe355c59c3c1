"""Planning a run: what the call names and the workspace holds, looked up, and handed to `policy.confine`.

The only part of planning that looks at the file system; it changes nothing and runs nothing.
"""

from __future__ import annotations

import os

from atip.policy.asking import asked_by
from atip.policy.confine import Scene, plan_confinement
from atip.policy.decision import ASK
from atip.policy.guarding import KEPT
from atip.policy.named import Named, named_by
from atip.policy.sensitive import is_protected, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.explaining import Explanation
    from atip.model.confinement import Confinement
    from atip.policy.policy import Policy
    from atip.system.paths import Places

_GIT_OWN = (".git/config",)
"""Git's own business: the one tool that may change them."""


def plan_call(
    explained: Explanation,
    policies: Sequence[Policy],
    places: Places,
    *,
    cwd: str,
    timeout_s: float | None = None,
) -> Confinement:
    """The confinement of a call that was explained.

    Raises:
        FormatError: the tool's request, or a grant, is not understood.
    """
    home = os.path.realpath(places.home)
    tools = {subject.tool for subject in explained.invocations}
    asked = explained.decision.outcome == ASK
    named = named_by(explained.invocations, home=home, asked=asked)
    return plan_confinement(
        explained.effects,
        policies,
        asked=asked_by(explained.invocations),
        named=named.replace(paths=_existing(named, cwd, asked=asked)),
        scene=Scene(
            cwd=cwd,
            home=home,
            own=tuple(map(os.path.realpath, (places.config, places.data, places.cache))),
            kept=_kept(cwd, _GIT_OWN if tools == {"git"} else ()),
        ),
        timeout_s=timeout_s,
    )


def _existing(named: Named, cwd: str, *, asked: bool) -> tuple[str, ...]:
    """Named paths outside of the workspace that exist, by their real names; folders as subtrees."""
    found: dict[str, None] = {}
    for path in named.paths:
        real = os.path.realpath(path)
        if real == cwd or real.startswith(cwd.rstrip("/") + "/") or not os.path.exists(real):
            continue
        # SECURITY: a link may give a secret a harmless name
        if not asked and (is_secret(real) or is_protected(real)):
            continue
        found[f"{real}/**" if os.path.isdir(real) else real] = None
    return tuple(found)


def _kept(cwd: str, without: tuple[str, ...]) -> tuple[str, ...]:
    """What stays as it is in the workspace. A link cannot be kept in place, and is left out."""
    paths = (os.path.join(cwd, name) for name in KEPT if name not in without)
    return tuple(path for path in paths if os.path.lexists(path) and os.path.realpath(path) == path)
