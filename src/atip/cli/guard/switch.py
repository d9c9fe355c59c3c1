"""The off switch: the user disables the guard for a limited time. The Never list still applies.

A file beside the user's policy, where no agent may write (`policy/places/vital.py`).
"""

from __future__ import annotations

import os

NAME = "guard-off.json"
MAX_S = 24 * 3600.0


def off_until(config: str) -> float:
    """When the guard is active again, in seconds since the epoch; 0: it is active."""
    path = os.path.join(config, NAME)
    if not os.path.lexists(path):
        return 0.0
    import json

    from atip.registry.settings import refuse_foreign
    from atip.system.clock import now
    from atip.system.files import read_bytes

    refuse_foreign(path)
    until = json.loads(read_bytes(path, 10_000))["until"]
    # SECURITY: a moment further away than a person could have said is not one.
    return float(until) if now() < float(until) <= now() + MAX_S else 0.0


def switch_off(config: str, for_s: float) -> float:
    """Switch the guard off; returns until when."""
    import json

    from atip.system import files
    from atip.system.clock import now

    until = round(now() + min(for_s, MAX_S), 3)
    files.make_private(config)
    files.write_atomic(os.path.join(config, NAME), json.dumps({"until": until}).encode())
    return until


def switch_on(config: str) -> bool:
    """Switch the guard on; returns whether it was off."""
    was_off = off_until(config) > 0
    try:
        os.unlink(os.path.join(config, NAME))
    except FileNotFoundError:
        return False
    return was_off
