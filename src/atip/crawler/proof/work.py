"""Work: one program, all its cases. What a worker of the crawler's engines runs, on this machine or another.

    (1) arrange   the program of this machine, or its package laid out and not installed
    (2) learn     its commands and flags, as the crawler does
    (3) try       its cases: generated, or those of an earlier run again
    (4) judge     every fact of each

JSON in, JSON out. What goes wrong with a program is a result with a reason; only a broken machine raises.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from atip.crawler.layouts.interface import PackagedProgram, PackageLayout
from atip.crawler.packages import Package, PackageFile, encode_json
from atip.crawler.steps.learning import PackageLearner
from atip.discovery.files.executables import Executable
from atip.discovery.visibility import visible_paths
from atip.errors import AtipError, SandboxError
from atip.knowledge.reading import load
from atip.model.root import lift
from atip.model.text.platforms import host_platform
from atip.proving.cases import case_from
from atip.proving.generate import CaseBudget, CaseRun, Generator
from atip.proving.playing import play_case
from atip.proving.trial import TrialRunner
from atip.proving.verdicts import observation_of
from atip.sandbox.verified import seal
from atip.system.clock import monotonic
from atip.system.scratch import scratch_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.model.tool import Tool
    from atip.proving.cases import Case
    from atip.sandbox.verified import VerifiedBinary

LEARNING_S = 15.0
"""CPU time for questions about the flags of a tool: cases, which cost more, are what matters here."""


def order_of(
    name: str, path: str, desk: str, *, cases: Sequence[Mapping[str, Any]] = (), **more: object
) -> bytes:
    """A job for `work`; with `cases` these are played and none are looked for."""
    return encode_json(
        {"name": name, "path": path, "desk": desk, "cases": list(cases), **more}
    ).encode()


def work(order: bytes) -> bytes:
    """Do one job.

    Raises:
        SandboxError: this machine cannot confine; nothing was run.
    """
    document: dict[str, Any] = json.loads(order)
    began = monotonic()
    result: dict[str, Any] = {"name": document["name"], "source": document.get("source", "local")}
    try:
        with scratch_folder() as folder:
            result.update(_prove(document, os.path.realpath(folder)))
    except SandboxError:
        raise
    except (AtipError, OSError) as error:
        code = error.code if isinstance(error, AtipError) else "prove.failed"
        result["problem"] = {"code": code, "message": str(error)[:200]}
    result["seconds"] = round(monotonic() - began, 1)
    return encode_json(result).encode()


def _prove(document: Mapping[str, Any], folder: str) -> dict[str, Any]:
    root = document.get("root", "")  # (1)
    binary = seal(document["path"], layer=root)
    try:
        runner = TrialRunner(
            document["desk"],
            os.path.join(folder, "stages"),
            layer=os.path.join(root, "usr") if root else "",
        )
        if document["cases"]:
            trials = [_replay(case_from(case), runner, binary) for case in document["cases"]]
            version = str(document.get("version", ""))
        else:
            tool = learn(document["name"], document["path"], root)  # (2)
            version = tool.version if tool is not None else ""
            trials = _generate(document, runner, binary, tool)  # (3) and (4)
    finally:
        binary.close()
    return {
        "digest": binary.digest,
        "version": version,
        "cases": [row_of(trial) for trial in trials],
    }


def learn(name: str, path: str, root: str = "") -> Tool | None:
    """All that can be known of a program: its own answer, completions, help, manual page, our knowledge."""
    uname = os.uname()
    package = Package(
        source="local", name=name, version="", layout="host",
        platform=host_platform(uname.sysname, uname.machine),
        own=PackageFile(name=name, digest="", locator=path),
    )  # fmt: skip
    executable = Executable(
        name=name, path=path, real_path=os.path.realpath(path), key=(0, 0, 0, 0, 0), size=0
    )
    program = PackagedProgram(name=name, path=path)
    if root:
        layout = PackageLayout(programs=(program,), root=root, prefixes=(f"{root}/usr",))
    else:
        visible = tuple(visible_paths([executable]))
        layout = PackageLayout(
            programs=(program,), visible=visible, prefixes=("/usr/local", "/usr")
        )
    try:
        # of a package that is laid out only what it needs more than this machine has is there: its texts are read
        with PackageLearner(layout, package, may_execute=not root, job_s=LEARNING_S) as learner:
            finding = learner.learn(program).finding
    except SandboxError:
        raise
    except AtipError:
        return None
    return lift(finding.tool) if finding is not None else None


def _generate(
    document: Mapping[str, Any], runner: TrialRunner, binary: VerifiedBinary, metadata: Tool | None
) -> list[CaseRun]:
    name = document["name"]
    curated = load(name)
    tool = metadata or curated
    if tool is None:
        return []
    budget = CaseBudget(**document.get("budget", {}))
    generator = Generator(
        name, tool, curated, runner.desk, lambda case: play_case(case, runner, binary), budget
    )
    return generator.generate()


def _replay(case: Case, runner: TrialRunner, binary: VerifiedBinary) -> CaseRun:
    trial = play_case(case, runner, binary)
    return CaseRun(
        case=case, observation=observation_of(trial), verdicts=(), exit_code=trial.exit_code
    )


def row_of(trial: CaseRun) -> dict[str, Any]:
    """One case as stored: its line and observation. `tally` computes the verdicts from it, with the current knowledge."""
    return {**trial.case.to_json(), "exit": trial.exit_code, **trial.observation.to_json()}
