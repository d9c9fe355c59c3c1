"""Names of the policy presets, and retired ones. What each allows is in `policy.presets`."""

from __future__ import annotations

NAMES = ("read-only", "cautious", "workspace", "ci")
RETIRED = {
    "trusted": "`trusted` was retired; use `workspace`, and `atip policy allow` for what is missing"
}
"""SECURITY: never replaced by another preset: the user has to choose again."""
