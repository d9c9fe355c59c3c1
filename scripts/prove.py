#!/usr/bin/env python3
"""Proves our knowledge: every curated tool that is here, or can be laid out from a package, all cases, twice.

make prove                        all; results in .cache/prove, the report in docs/proof.md
scripts/prove.py --only cp,mv     some
scripts/prove.py --tally          adds up what is there again, by today's knowledge
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from itertools import chain

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KNOWLEDGE = os.path.join(ROOT, "src", "atip", "knowledge")


def main() -> int:
    from atip.crawler.proof.campaign import Campaign, installed_targets
    from atip.crawler.proof.packaged import package_targets

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default=os.path.join(ROOT, ".cache", "prove"))
    parser.add_argument("--only", default="", metavar="NAMES", help="separated by commas")
    parser.add_argument("--what", choices=("all", "installed", "packages"), default="all")
    parser.add_argument("--engine", default="")
    parser.add_argument(
        "--jobs", type=int, default=0, help="workers; more than processors, since trials wait"
    )
    parser.add_argument("--tally", action="store_true", help="run nothing")
    parser.add_argument("--write", action="store_true", help="write the report")
    options = parser.parse_args()
    campaign = Campaign(
        options.folder, engine=options.engine, jobs=options.jobs,
        tell=lambda text: print(text, flush=True),
    )  # fmt: skip
    only = set(options.only.split(",")) - {""}
    if not options.tally:
        campaign.begin()
        here = installed_targets() if options.what != "packages" else iter(())
        laid_out = (
            package_targets(campaign.folder, only) if options.what != "installed" else iter(())
        )
        campaign.run(chain((one for one in here if not only or one.name in only), laid_out))
    return report(campaign, write=options.write)


def report(campaign: object, *, write: bool) -> int:
    from atip.crawler.proof.report import (
        proof_document,
        render_report,
        summary_of,
        verified_tools,
    )
    from atip.proving.tally import tally

    results = list(campaign.results())  # type: ignore[attr-defined]
    again = {one["name"]: one for one in campaign.results("second")}  # type: ignore[attr-defined]
    totals = tally(results, again)
    unsteady = campaign.unsteady()  # type: ignore[attr-defined]
    twice = sum(len(one.get("cases", ())) for one in again.values())
    starts = len(campaign.starts())  # type: ignore[attr-defined]
    touched = campaign.changed_names()  # type: ignore[attr-defined]
    verified = verified_tools(results, again)
    summary = {
        **summary_of(totals, len(unsteady), twice, len(touched)),
        "starts": starts,
        "verified": len(verified),
    }
    for name in touched:
        print("touched:", name)
    print(json.dumps(summary))
    for one in totals.open[:400]:
        print("open:", one.fact, "|", " ".join(one.argv), "|", ", ".join(one.seen[:3]))
    for line in unsteady[:50]:
        print("unsteady:", line)
    if write:
        tried: dict[str, int] = {}
        for result in results:
            source = str(result["source"]).partition(":")[0]
            tried[source] = tried.get(source, 0) + bool(result.get("cases"))
        _write(os.path.join(ROOT, "docs", "proof.md"), render_report(totals, summary, tried))
        proof = proof_document(totals, results, summary, verified)
        text = json.dumps(proof, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        _write(os.path.join(KNOWLEDGE, "proof.json"), text + "\n")
        _write(os.path.join(KNOWLEDGE, "proof-summary.json"), json.dumps(summary) + "\n")
    return 1 if totals.open or touched else 0


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main())
