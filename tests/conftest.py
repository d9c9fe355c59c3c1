"""The requirement manifest: which statements of the texts are proven by which tests.

A test names what it proves with `@pytest.mark.proves("ID", …)`. At the end of a full run an unknown id, a
claim on a test that was skipped although its data is here, or a longer list of unproven statements
than the one committed fails the run.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal

import hypothesis
import pytest

from tests.shared import ROOT, find_shared

# A shell starts what runs in the background with these ignored, and every program that a test starts would inherit that.
for _number, _handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# The same examples for the same code: a change is judged by what it changed. `make soak` draws new ones each time.
# How fast examples are drawn says more of what else the machine does than of the test.
_LOADED = [hypothesis.HealthCheck.too_slow]
hypothesis.settings.register_profile("same", derandomize=True, suppress_health_check=_LOADED)
hypothesis.settings.register_profile("new", derandomize=False, suppress_health_check=_LOADED)
hypothesis.settings.load_profile(os.environ.get("ATIP_EXAMPLES", "same"))

MANIFEST = ROOT / "conformance" / "requirements.jsonl"
UNPROVEN = ROOT / "conformance" / "unproven.txt"
WAIVED = ROOT / "conformance" / "waived.jsonl"


def load_requirements() -> dict[str, dict[str, str]]:
    rows = [json.loads(line) for line in MANIFEST.read_text().splitlines() if line]
    return {row["id"]: row for row in rows}


def load_waived() -> dict[str, str]:
    if not WAIVED.exists():
        return {}
    rows = [json.loads(line) for line in WAIVED.read_text().splitlines() if line]
    return {row["id"]: row["reason"] for row in rows}


def claims(item: pytest.Item) -> list[str]:
    return [name for mark in item.iter_markers("proves") for name in mark.args]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" or report.skipped:
        report.user_properties.append(("proves", claims(item)))


def pytest_configure(config):
    config.stash[_PROVEN] = set()
    config.stash[_SKIPPED] = {}


_PROVEN = pytest.StashKey[set]()
_SKIPPED = pytest.StashKey[dict]()


class Collector:
    """Gathers the claims of passed and skipped tests on the controlling process."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report):
        ids = [name for key, names in report.user_properties if key == "proves" for name in names]
        if report.passed and report.when == "call":
            self.config.stash[_PROVEN].update(ids)
        elif report.skipped and ids:
            self.config.stash[_SKIPPED][report.nodeid] = ids


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Collector(session.config), "requirements-collector")


def is_full_run(config: pytest.Config) -> bool:
    chosen = [pathlib.Path(arg.split("::")[0]).name for arg in config.args]
    return (
        chosen in (["tests"], [])
        and not config.option.keyword
        and "not soak" in (config.option.markexpr or "")
        and not is_measured_run(config)
    )


def is_measured_run(config: pytest.Config) -> bool:
    return (config.option.markexpr or "").startswith("measured")


def save_proven(proven: set[str]) -> None:
    """Hand what the measured tests proved to the run of all others (`scripts/test`)."""
    if path := os.environ.get("ATIP_PROVEN"):
        pathlib.Path(path).write_text(json.dumps(sorted(proven)))


def load_proven() -> set[str]:
    path = pathlib.Path(os.environ.get("ATIP_PROVEN", ""))
    return set(json.loads(path.read_text())) if path.is_file() else set()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    config = session.config
    if is_measured_run(config):
        save_proven(config.stash[_PROVEN])
    if (
        hasattr(config, "workerinput")
        or exitstatus not in (0, pytest.ExitCode.OK)
        or not is_full_run(config)
    ):
        return
    known = load_requirements()
    proven = config.stash[_PROVEN]
    proven |= load_proven()
    trouble = [f"unknown requirement id: {name}" for name in sorted(proven - known.keys())]
    if find_shared("specs") is not None:
        trouble += [f"claim on a skipped test: {node}" for node in config.stash[_SKIPPED]]
    allowed = set(UNPROVEN.read_text().split()) if UNPROVEN.exists() else set()
    missing = known.keys() - proven - allowed - load_waived().keys()
    if find_shared("specs") is not None:
        trouble += [f"no longer proven: {name}" for name in sorted(missing)]
    config.stash[_TROUBLE] = trouble
    if trouble:
        session.exitstatus = 1


_TROUBLE = pytest.StashKey[list]()


def pytest_terminal_summary(terminalreporter, config):
    trouble = config.stash.get(_TROUBLE, [])
    for line in trouble:
        terminalreporter.write_line(f"requirements: {line}", red=True)
    if is_full_run(config) and not trouble:
        known, proven = load_requirements(), config.stash[_PROVEN]
        terminalreporter.write_line(
            f"requirements: {len(proven)} of {len(known)} proven (`make requirements`)"
        )
