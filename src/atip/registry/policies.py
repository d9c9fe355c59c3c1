"""The policies in force: files of organization, user and project, a delegation, and the chosen preset.

| layer | where |
|---|---|
| organization | `/etc/agent-tools/policy.json`, and `policy.json` of each registry that is configured as an organization's |
| user | `policy.json` beside the user's other settings, or `policy` of `config.json` |
| project | `.agent-tools/policy.json` of the project |
| delegation | `ATIP_DELEGATION`: a file that the delegating agent wrote |

A project's own rules narrow; those that allow join the user's after the user approved the file (`registry.project_policy`).
A policy that cannot be read stops the run (safety rule 3). A missing file means no policy in that layer; the user's layer
always exists, with the preset `cautious` unless another one was chosen.
"""

from __future__ import annotations

import os

from atip.policy.policy import Policy
from atip.policy.presets import DEFAULT, check_preset
from atip.system.paths import find_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from atip.system.paths import Places

ORGANIZATION = "/etc/agent-tools/policy.json"
DELEGATION = "ATIP_DELEGATION"


def load_policies(
    places: Places, cwd: str, *, preset: str | None = None, once: bool = False
) -> tuple[Policy, ...]:
    """Load all layers, the widest first.

    Args:
        cwd: where the call would run; the nearest `.agent-tools` at or above it is the project's.
        preset: replaces the user's preset for this run; organization and project still count.
        once: whether rules for one line apply; the caller then uses them up (`rule_file.use_up`).

    Raises:
        FormatError, AtipError: a file is invalid, or writable by other users.
    """
    user = _user(places, preset)
    if not once and any(rule.once for rule in user.rules):
        user = user.replace(rules=tuple(rule for rule in user.rules if not rule.once))
    layers = [*_from_file(ORGANIZATION, "organisation"), *_from_registries(places)]
    project = find_project(cwd, places.home)
    path = os.path.join(project, "policy.json") if project else ""
    if path and os.path.lexists(path):
        from atip.registry.project_policy import project_layers

        layer, rules = project_layers(path, places.config)
        layers += [user.replace(rules=(*user.rules, *rules)), layer]
    else:
        layers.append(user)
    granted = os.environ.get(DELEGATION)
    if granted:
        layers.append(_delegation(granted))
    return tuple(_in_force(layer, cwd) for layer in layers)


def _in_force(policy: Policy, cwd: str) -> Policy:
    if not any(rule.folders is not None or rule.until for rule in policy.rules):
        return policy
    from atip.policy.policy import in_force
    from atip.system.clock import now_iso

    return in_force(policy, cwd=os.path.realpath(cwd), now=now_iso())


def _from_file(path: str, layer: str) -> list[Policy]:
    if not os.path.lexists(path):
        return []
    from atip.policy.reading import read_policy
    from atip.registry.settings import refuse_foreign
    from atip.system.files import read_bytes

    refuse_foreign(path)
    return [read_policy(read_bytes(path, 1_000_000), layer=layer, origin=path)]


def _from_registries(places: Places) -> list[Policy]:
    """Policies that `registry sync` brought (ATIP 0.6 §4.8). Without an organization's registry nothing is loaded."""
    start = os.path.join(places.data, "registries")
    try:
        has_policy = any(
            os.path.lexists(f"{start}/{name}/policy.json") for name in os.listdir(start)
        )
    except OSError:
        return []
    if not has_policy:
        return []
    from atip.registry.remote.remotes import load_sources

    layers: list[Policy] = []
    for source in load_sources(places):
        if source.organization:
            path = os.path.join(start, source.id, "policy.json")
            layers += [
                policy.replace(name=policy.name or source.url)
                for policy in _from_file(path, "organisation")
            ]
    return layers


def _user(places: Places, preset: str | None) -> Policy:
    layers = _from_file(os.path.join(places.config, "policy.json"), "user")
    policy = layers[0] if layers else Policy(layer="user")
    selected = preset or policy.preset or (None if policy.default else _configured_path(places))
    if selected is not None:
        check_preset(selected)
    return policy.replace(preset=selected)


def _configured_path(places: Places) -> str:
    if not os.path.lexists(os.path.join(places.config, "config.json")):
        return DEFAULT
    from atip.registry.settings import load_settings

    settings: dict[str, Any] = load_settings(places, "config")
    return str(settings.get("policy", DEFAULT))


def _delegation(path: str) -> Policy:
    from atip.model.permissions.delegation import decode_delegation
    from atip.system.files import read_bytes

    granted = decode_delegation(read_bytes(path, 1_000_000))
    return Policy(layer="delegation", name=path, delegation=granted)
