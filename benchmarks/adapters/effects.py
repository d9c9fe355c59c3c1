"""effectsbench adapter: one JSON object per line in (`command`, optional `description`), one out.

`--without-knowledge` leaves the curated pack out and measures the rules alone.
"""

from __future__ import annotations

import argparse
import json
import sys

from atip.inference.effects import explain_effects
from atip.knowledge import load
from atip.model.reading.encode import encode_effects


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-knowledge", action="store_true")
    parser.add_argument("--explain", action="store_true", help="reasons on standard error")
    options = parser.parse_args()
    lookup = (lambda _name: None) if options.without_knowledge else load
    for line in sys.stdin:
        if not line.strip():
            continue
        given = json.loads(line)
        found = explain_effects(
            given["command"], description=given.get("description", ""), lookup=lookup
        )
        print(json.dumps({"command": given["command"], "effects": encode_effects(found.effects)}))
        if options.explain:
            for reason in found.reasons:
                print(f"{given['command']}: {reason.subject}: {reason.says}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
