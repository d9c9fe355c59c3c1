"""Names of the presets of a policy, and those that are gone. What each allows is in `policy.presets`."""

from __future__ import annotations

NAMES = ("read-only", "cautious", "workspace", "ci")
RETIRED = {
    "trusted": "`trusted` was retired; use `workspace`, and `atip policy allow` for what is missing"
}
"""SECURITY: never read as another preset: whoever named it decides anew."""
