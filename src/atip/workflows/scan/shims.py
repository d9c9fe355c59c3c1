"""Sources of shims, in the source order between the user's own folder and learning, registries among them.

Without a configured registry nothing of one is loaded.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.registry.settings import has_registries

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from atip.discovery.sources.source_order import MetadataSource
    from atip.registry.remote.remotes import RemoteShims
    from atip.system.paths import Places
    from atip.workflows.host import Host


def open_shims(
    host: Host,
    *,
    refresh: bool = False,
    approve: frozenset[str] = frozenset(),
    background: bool = False,
) -> RemoteShims:
    """A session with all registries of a user; arguments as in `registry.remote.remotes.make_session_options`.

    Raises:
        FormatError: settings or an organization's policy cannot be read.
    """
    from atip.registry.remote.remotes import RemoteShims, load_sources, make_session_options

    options = make_session_options(
        host.places, offline=host.offline, policy_requires=_policy_requires(host),
        refresh=refresh, approve=approve, background=background,
    )  # fmt: skip
    return RemoteShims(load_sources(host.places), host.places, options)


def _policy_requires(host: Host) -> bool:
    """The strictest word on signatures wins (A25): a policy's counts for every registry."""
    from atip.registry.policies import load_policies

    policies = load_policies(host.places, os.getcwd(), preset=host.policy)
    return any(policy.trust is not None and policy.trust.signatures for policy in policies)


def shim_sources(host: Host, stack: ExitStack) -> list[MetadataSource]:
    """Sources of shims besides the user's own folder, in order: signed ones of the system, the project's, those of
    registries, unsigned ones of the system (0.1 §5.1). `stack` ends the session with the registries."""
    from atip.discovery.sources.stored_sources import RegistryShimSource, ShimFolderSource

    places = host.places
    system = [folder for folder in places.system if os.path.isdir(folder)]
    sources: list[MetadataSource] = []
    if system:
        sources.append(ShimFolderSource(system, _signature_check(places)))
    if places.project:
        sources.append(ShimFolderSource([places.project], tell=host.notices.append))
    if has_registries(places):
        shims = stack.enter_context(open_shims(host, background=True))
        stack.callback(lambda: host.notices.extend(_notices(shims)))
        if shims.registries:
            sources.append(RegistryShimSource(shims.find_or_warn, places.home))
    if system:
        sources.append(ShimFolderSource(system, tell=host.notices.append))
    return sources


def _notices(shims: RemoteShims) -> list[str]:
    """Notices about a background session; once per registry and kind."""
    notices = {
        (name, error.code): f"{name}: {error.message} [{error.code}]"
        for name, _, error in shims.problems
    }
    for registry in shims.registries:
        for digest in registry.acceptance.waiting:
            notice = f"{registry.source.name}: a description now declares fewer dangers; `atip registry sync` shows it"
            notices[(registry.source.name, digest)] = notice
    for warning in shims.warnings:
        notices[(warning["registry"], warning["code"])] = (
            f"{warning['message']} [{warning['code']}]"
        )
    return list(notices.values())


def _signature_check(places: Places) -> Callable[[bytes, bytes], bool]:
    """Whether a signer or key of the user's `trust.json` has signed a shim's bytes."""

    def is_signed(shim: bytes, bundle: bytes) -> bool:
        from atip.registry.shims.check import verify_signature_of
        from atip.trust.options import VerifyOptions
        from atip.workflows.verify import load_trust_policy

        return bool(verify_signature_of(shim, bundle, load_trust_policy(places, VerifyOptions())))

    return is_signed
