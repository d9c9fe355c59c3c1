"""What one entry point knows no other contradicts: one look-up, one verdict on a program's bytes, one rule for `--yes`."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib

import pytest

from atip.calls.effects.ceiling import command_claim
from atip.errors import Denied, NeedsConfirmation
from atip.execution.call import CallOptions
from atip.execution.consent import yes_covers
from atip.execution.output.conventions import read_conventions
from atip.knowledge.reading import load, names
from atip.model.effects import Effects
from atip.model.tool import Tool
from atip.policy.presets import PRESETS
from atip.system.files import stat_key
from atip.toolbox import Toolbox
from atip.validator import create_result_filter
from atip.workflows.lookup import Lookup
from tests.integration.execution.desk import Desk


@pytest.fixture
def desk(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    return made


def put_on_path(folder: pathlib.Path, name: str, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\necho hello\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return path


def _outcome(desk: Desk, line: str) -> str:
    return desk.box.explain(line, cwd=str(desk.work)).decision.outcome


def remember(
    box: Toolbox, path: pathlib.Path, source_kind: str, document: dict[str, object]
) -> dict[str, object]:
    """The store's word on a program, as a scan leaves it."""
    digest = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    whole = {
        "atip": {"version": "0.6"},
        "name": path.name,
        "version": "1",
        "description": "d",
        **document,
    }
    written = box.store.save_metadata(f"tools/{path.name}.json", whole)
    entry = {"path": str(path), "hash": digest, "source": "native", "lastChecked": "2026-01-01T00:00:00Z",
             "metadata": f"tools/{path.name}.json", "x-atip": {"rung": source_kind, "metadataHash": written}}  # fmt: skip
    box.store.put({path.name: entry})
    return entry


READS = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "idempotent": True,
    "reversible": True,
    "cost": {"billable": False},
}


class TestCompromised:
    """A program whose description gives another checksum than it has."""

    @pytest.fixture
    def csum(self, desk: Desk, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
        path = put_on_path(tmp_path / "opt", "csum", monkeypatch)
        wrong = "sha256:" + "0" * 64
        trust = {"source": "native", "integrity": {"checksum": wrong}}
        remember(desk.box, path, "native", {"trust": trust, "effects": READS})
        return desk

    @pytest.mark.parametrize("preset", PRESETS)
    def test_no_preset_lets_it_run(self, csum: Desk, preset: str) -> None:
        decision = csum.box.explain("csum", cwd=str(csum.work), preset=preset).decision
        assert (decision.outcome, decision.rule) == ("deny", "always: compromised")
        call = csum.box.make_call(["csum"], CallOptions(cwd=str(csum.work), assume_yes=True))
        planned = csum.box.make_runner(preset=preset).plan(call)[0].decision
        assert (planned.outcome, planned.reasons, planned.rule) == (
            decision.outcome,
            decision.reasons,
            decision.rule,
        )
        with pytest.raises(Denied):
            csum.box.make_runner(preset=preset, ask=csum.yes).run(call)

    def test_guard_denies_it(self, csum: Desk) -> None:
        assert _guard(csum, "csum") == "deny"

    def test_update_of_the_program_is_no_compromise(
        self, csum: Desk, tmp_path: pathlib.Path
    ) -> None:
        (tmp_path / "opt" / "csum").write_text("#!/bin/sh\necho newer\n")
        assert csum.box.explain("csum", cwd=str(csum.work)).decision.rule != "always: compromised"


def _guard(desk: Desk, line: str) -> str:
    import subprocess
    import sys

    from tests.integration.execution.desk import ROOT

    asked = json.dumps({"line": line, "cwd": str(desk.work)})
    env = {"PATH": os.environ["PATH"], "HOME": str(desk.home), "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "atip.cli.main", "guard"],
        input=asked, capture_output=True, text=True, check=True, env=env,
    )  # fmt: skip
    return str(json.loads(done.stdout)["decision"])


def override(desk: Desk, name: str, text: str | dict[str, object]) -> None:
    """The user's word on a program."""
    folder = desk.config / "overrides"
    folder.mkdir(exist_ok=True)
    written = text if isinstance(text, str) else json.dumps(text)
    (folder / f"{name}.json").write_text(written)


def _known(desk: Desk, name: str) -> Tool:
    found = Lookup(desk.box.places, str(desk.work))(name)
    assert found is not None
    return found


class TestLookup:
    def test_native_word_raises_what_curated_facts_say(
        self, desk: Desk, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # a file of its own: whose `wc` is first on the PATH of a machine, and what it links to, is not this test's matter
        wc = put_on_path(tmp_path / "opt", "wc", monkeypatch)
        assert desk.box.explain("wc notes", cwd=str(desk.work)).decision.outcome == "allow"
        remember(desk.box, wc, "native", {"effects": {**READS, "destructive": True}})
        found = desk.box.explain("wc notes", cwd=str(desk.work))
        assert (found.effects.destructive, found.decision.outcome) == (True, "ask")

    def test_override_counts_as_soon_as_it_is_written(self, desk: Desk) -> None:
        folder = desk.config / "overrides"
        folder.mkdir()
        (folder / "wc.json").write_text(json.dumps({"effects": {"destructive": True}}))
        assert desk.box.explain("wc notes", cwd=str(desk.work)).decision.outcome == "ask"
        call = desk.box.make_call(["wc", "notes"], CallOptions(cwd=str(desk.work), assume_yes=True))
        with pytest.raises(NeedsConfirmation):
            desk.box.make_runner().run(call)
        assert _guard(desk, "wc notes") == "ask"

    @pytest.mark.parametrize("text", ["[1", "[]", '{"effects": {"destructive": "maybe"}}'])
    def test_override_that_cannot_be_read_is_refused(self, desk: Desk, text: str) -> None:
        from atip.errors import FormatError

        override(desk, "wc", text)
        with pytest.raises(FormatError) as caught:
            desk.box.explain("wc notes", cwd=str(desk.work))
        assert caught.value.code == "override.invalid"
        assert "wc.json" in caught.value.message
        assert caught.value.hint
        assert _guard(desk, "wc notes") == "ask"

    def test_override_lowers_field_by_field_and_the_evidence_says_so(self, desk: Desk) -> None:
        before = desk.box.explain("git push", cwd=str(desk.work))
        assert (before.effects.network, before.decision.outcome) == (True, "ask")
        override(desk, "git", {"commands": {"push": {"effects": {"network": False}}}})
        after = desk.box.explain("git push", cwd=str(desk.work))
        assert after.effects == before.effects.replace(network=False)
        assert [reason.evidence for reason in after.invocations[0].reasons] == ["override"]
        assert desk.box.explain("git fetch", cwd=str(desk.work)).effects.network is True

    def test_override_lowers_the_command_by_itself_not_its_options(self, desk: Desk) -> None:
        override(desk, "git", {"commands": {"push": {"effects": {"destructive": False}}}})
        assert desk.box.explain("git push", cwd=str(desk.work)).effects.destructive is False
        assert desk.box.explain("git push --force", cwd=str(desk.work)).effects.destructive is True

    def test_override_of_a_tool_raises_each_of_its_commands(self, desk: Desk) -> None:
        override(desk, "git", {"effects": {"destructive": True}})
        assert desk.box.explain("git status", cwd=str(desk.work)).decision.outcome == "ask"
        assert command_claim(_known(desk, "git"), ("status",)).ceiling.destructive is True

    def test_claims_follow_an_override(self, desk: Desk) -> None:
        effects = {"network": False, "subprocess": False}
        override(desk, "git", {"commands": {"push": {"effects": effects}}})
        claim = command_claim(_known(desk, "git"), ("push",))
        assert (claim.base.network, claim.base.subprocess) == (False, False)

    def test_override_vouches_for_a_program_that_is_not_known(
        self, desk: Desk, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put_on_path(tmp_path / "opt", "mytool", monkeypatch)
        harmless = {**READS, "creates": [], "modifies": [], "deletes": []}
        override(desk, "mytool", {"effects": harmless})
        assert desk.box.explain("mytool", cwd=str(desk.work)).decision.outcome == "allow"
        assert _guard(desk, "mytool") == "allow"
        put_on_path(desk.home / "bin", "mytool", monkeypatch)
        assert desk.box.explain("mytool", cwd=str(desk.work)).decision.outcome == "ask"

    def test_document_cannot_pass_itself_off_as_the_users_word(
        self, desk: Desk, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = put_on_path(tmp_path / "opt", "mytool", monkeypatch)
        harmless = {**READS, "creates": [], "modifies": [], "deletes": []}
        told = {"effects": harmless, "x-atip": {"override": harmless, "curated": "knowledge"}}
        remember(desk.box, path, "native", told)
        found = desk.box.explain("mytool", cwd=str(desk.work))
        assert (found.decision.outcome, found.invocations[0].evidence) == ("ask", "claim")

    def test_file_of_the_name_below_the_home_is_not_the_program(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert desk.box.explain("ls", cwd=str(desk.work)).decision.outcome == "allow"
        put_on_path(desk.home / "bin", "ls", monkeypatch)
        found = desk.box.explain("ls", cwd=str(desk.work))
        assert found.decision.outcome == "ask"
        assert _guard(desk, "ls") == "ask"

    @pytest.mark.parametrize("known_status", [True, False], ids=["status", "digest alone"])
    def test_managed_program_keeps_curated_facts_while_its_digest_holds(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch, known_status: bool
    ) -> None:
        """Also when its status changed, and when another agent recorded it without one."""
        path = put_on_path(desk.home / ".cargo/bin", "wc", monkeypatch)
        entry = remember(desk.box, path, "curated", {})
        if known_status:
            own = {"rung": "curated", "stat": [*stat_key(path.stat())]}
            desk.box.store.put({"wc": {**entry, "x-atip": own}})
        assert _outcome(desk, "wc -l README.md") == _guard(desk, "wc -l README.md") == "allow"
        os.utime(path, (1, 1))
        assert _outcome(desk, "wc -l README.md") == _guard(desk, "wc -l README.md") == "allow"
        path.write_text("#!/bin/sh\necho other\n")
        assert _outcome(desk, "wc -l README.md") == _guard(desk, "wc -l README.md") == "ask"

    def test_program_beside_the_recorded_one_of_its_manager_shadows_nothing(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A shim of pyenv puts the folder of its version first: what was recorded is not what runs."""
        shim = put_on_path(desk.home / ".pyenv/shims", "pytest", monkeypatch)
        remember(desk.box, shim, "curated", {})
        put_on_path(desk.home / ".pyenv/versions/3.11/bin", "pytest", monkeypatch)
        assert _outcome(desk, "pytest --version") == _guard(desk, "pytest --version") == "allow"
        shim = put_on_path(desk.home / ".pyenv/shims", "ls", monkeypatch)
        remember(desk.box, shim, "curated", {})
        put_on_path(desk.home / ".pyenv/versions/3.11/bin", "ls", monkeypatch)
        assert _outcome(desk, "ls") == _guard(desk, "ls") == "ask"

    def test_curated_warnings_stay_for_such_a_file(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put_on_path(desk.home / "bin", "rm", monkeypatch)
        assert desk.box.explain("rm -rf x", cwd=str(desk.work)).effects.destructive is True

    @pytest.mark.parametrize("name", ["git", "ls", "surely-unknown-program"])
    def test_each_program_is_looked_up_once(self, desk: Desk, name: str) -> None:
        lookup = Lookup(desk.box.places, str(desk.work))
        assert lookup(name) is lookup(name)


@pytest.mark.parametrize(("destructive", "covered"), [(False, True), (True, False), (None, False)])
def test_yes_covers_only_what_surely_destroys_nothing(destructive, covered) -> None:
    assert yes_covers(Effects(destructive=destructive)) is covered


def test_result_filter_redacts_unless_told_otherwise() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    assert secret not in create_result_filter([])(f"token {secret}")
    assert secret in create_result_filter([], redact=lambda text: text)(f"token {secret}")


def test_every_curated_description_of_output_can_be_read() -> None:
    """`run` reads it for every call; one that cannot be read made each call of its tool fail."""
    for name in names():
        tool = load(name)
        assert tool is not None
        read_conventions(tool.own.get("output"))
