"""Work: one job from fetched files to shims. Runs in a worker, on this machine or another.

    (1) arrange   unpack the package and what it needs, confined by the extractor's rules
    (2) identify  every executable by hash
    (3) learn     probe each, inside the sandbox
    (4) complete  template, provenance, trust
    (5) judge     strictly valid, or left out with a reason
    (6) observe   if requested: run cases, record observations

JSON in, JSON out: a worker has no key and is trusted for nothing else. A failure of a package is a result with a
reason; only a failure of the machine (no sandbox, no disk) raises.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.depot import Depot
from atip.crawler.layouts.interface import LayoutFolders
from atip.crawler.packages import EMPTY, LEARNED, REFUSED, encode_json, read_package
from atip.crawler.steps.completing import complete
from atip.crawler.steps.judging import checked_document, poison_rules
from atip.crawler.steps.learning import PackageLearner
from atip.errors import AtipError, FetchError, FormatError, NotFoundError, SandboxError
from atip.model.text.platforms import ANY, host_platform
from atip.system.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.crawler.layouts.interface import PackageLayout
    from atip.crawler.packages import Package
    from atip.crawler.steps.learning import LearnedProgram

LAYOUTS = {
    "system": "atip.crawler.layouts.system",
    "python": "atip.crawler.layouts.python",
    "node": "atip.crawler.layouts.node",
    "plain": "atip.crawler.layouts.plain",
    "host": "atip.crawler.layouts.host",
}
"""Name → module with `arrange`; imported on use."""


def order_of(package: Package, depot: str, cache: str, at: str) -> bytes:
    """A job as bytes for `work`."""
    order = {"depot": depot, "cache": cache, "at": at, "package": package.to_json()}
    return encode_json(order).encode()


def work(order: bytes) -> bytes:
    """Run one job and store its result in the depot; returns the result without its shims."""
    document: Mapping[str, Any] = json.loads(order)
    package = read_package(document["package"])
    depot = Depot(document["depot"])
    key = package.key
    result = depot.find_result(key)
    if result is None:
        result = examine(package, depot, document["cache"], document["at"])
        depot.put_result(key, result)
    head = {name: value for name, value in result.items() if name != "shims"}
    return encode_json({**head, "key": key, "shims": sorted(result["shims"])}).encode()


def examine(package: Package, depot: Depot, cache: str, at: str) -> dict[str, Any]:
    """Run all steps for one package.

    Raises:
        SandboxError: no sandbox is available; nothing was run.
    """
    result: dict[str, Any] = {
        "package": package.label,
        "version": package.version,
        "platform": package.platform,
        "outcome": EMPTY,
        "programs": [],
        "shims": {},
    }
    try:
        with scratch_folder() as folder:
            # (1)
            folders = LayoutFolders(
                folder=os.path.realpath(folder), cache=cache, blob=_blobs(depot)
            )
            layout = _arrange(package, folders)
            _learn_all(package, layout, at, result)
            if package.observe and result["shims"]:
                from atip.crawler.steps.observing import observe_programs

                observe_programs(layout, result["shims"], os.path.join(folder, "observing"))  # (6)
    except SandboxError:
        raise
    except (FormatError, FetchError, NotFoundError) as error:
        result["outcome"] = REFUSED
        result["reason"] = {"code": error.code, "message": error.message[:300]}
    return result


def _blobs(depot: Depot) -> Any:
    def blob(digest: str) -> bytes:
        data = depot.find_blob(digest)
        if data is None:
            raise FetchError("crawl.not-fetched", f"{digest[:19]}… is not in the depot")
        return data

    return blob


def _arrange(package: Package, folders: LayoutFolders) -> PackageLayout:
    import importlib

    module = LAYOUTS.get(package.layout)
    if module is None:
        raise FormatError("crawl.layout", f"unknown layout `{package.layout[:40]}`")
    layout: PackageLayout = importlib.import_module(module).arrange(package, folders)
    return layout


def _learn_all(package: Package, layout: PackageLayout, at: str, result: dict[str, Any]) -> None:
    """(2) to (5) for every program; files with the same content once, under the file's own name."""
    if not layout.programs:
        return
    uname = os.uname()
    may_execute = package.platform in (ANY, host_platform(uname.sysname, uname.machine))
    count = len({os.path.realpath(one.path) for one in layout.programs})
    own_first = sorted(layout.programs, key=lambda one: (os.path.islink(one.path), one.name))
    with PackageLearner(layout, package, may_execute=may_execute) as learner:
        for program in own_first:
            try:
                learned = (
                    learner.learn(program) if not _is_processed(program.path, result) else None
                )
            except SandboxError:
                raise
            except AtipError as error:
                result["programs"].append({"name": program.name, "problem": error.code})
                continue
            if learned is None:
                result["programs"].append({"name": program.name, "alias": True})
                continue
            result["programs"].append(_process(learned, package, at, result["shims"], count))
            result.setdefault("_seen", set()).add(os.path.realpath(program.path))
    result.pop("_seen", None)
    if result["shims"]:
        result["outcome"] = LEARNED


def _is_processed(path: str, result: Mapping[str, Any]) -> bool:
    return os.path.realpath(path) in result.get("_seen", ())


def _process(
    learned: LearnedProgram, package: Package, at: str, shims: dict[str, Any], programs: int
) -> dict[str, Any]:
    """Return the row of one program out of `programs`; adds its shim to `shims` if it is acceptable."""
    digits = learned.digest.removeprefix("sha256:")
    row: dict[str, Any] = {
        "name": learned.name,
        "hash": digits,
        "ran": learned.ran,
        "helped": learned.can_help,
    }
    if learned.finding is None:
        return row
    row["rung"] = learned.finding.source_kind
    row["also"] = list(learned.finding.also)
    try:
        document = checked_document(
            complete(learned.finding.tool, learned, package, at, programs=programs)
        )
    except FormatError as error:
        return {**row, "problem": error.code, "message": error.message[:300]}
    if rules := poison_rules(document):
        return {**row, "problem": "crawl.poisoned", "message": ", ".join(rules)}
    shims.setdefault(digits, document)
    return row
