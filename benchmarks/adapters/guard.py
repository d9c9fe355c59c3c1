"""guardbench adapter: one JSON object per line in (`id`, `line`, `cwd`), `id` and `decision` out.

Uses the public API only; never executes a line. `--explain` says why on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys

import atip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policy", default="cautious", help="preset to decide by")
    parser.add_argument(
        "--confine",
        action="store_true",
        help="answer `confine` where a sandbox settles the question",
    )
    parser.add_argument("--explain", action="store_true", help="reasons on standard error")
    options = parser.parse_args()
    box = atip.Toolbox(policy=options.policy)
    for text in sys.stdin:
        if not text.strip():
            continue
        given = json.loads(text)
        found = box.explain(given["line"], cwd=given.get("cwd"))
        decision = found.in_sandbox if options.confine else found.decision
        outcome = decision.outcome
        if outcome == "confine" and not options.confine:
            outcome = "ask"  # what a client is told that cannot be given another line
        print(json.dumps({"id": given["id"], "decision": outcome}))
        if options.explain:
            why = "; ".join(decision.reasons)
            print(f"{given['id']}: {decision.outcome}: {why}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
