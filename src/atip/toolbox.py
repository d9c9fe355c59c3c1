"""Toolbox: what a Python caller, the command line and the server use. A façade: each method is one workflow.

Holds no state beyond where things lie; every method reads the store afresh. The work is done in `workflows`.
"""

from __future__ import annotations

import os

from atip.system.paths import find_places
from atip.workflows.host import Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from atip.bundles.entry.definition import CliHandle
    from atip.bundles.install.work import Fetch
    from atip.bundles.login.oauth import Exchange
    from atip.bundles.surfaces.interface import Surface
    from atip.discovery.mcp.configs import McpConfigs
    from atip.discovery.report import ScanPlan, ScanReport
    from atip.discovery.scan import Progress, ScanOptions
    from atip.discovery.sources.native import NativeAnswer
    from atip.discovery.sources.source_order import SourceFinding
    from atip.execution.audit.chain import Audit
    from atip.execution.call import CallOptions, ProgramCall
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.execution.runner import Runner
    from atip.execution.runs import ActiveRuns
    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.registry.store import Store
    from atip.search.index import SearchHit
    from atip.trust.options import VerifyOptions
    from atip.workflows.agents.call import Calls as Calls
    from atip.workflows.agents.client_tools import ClientTools as ClientTools
    from atip.workflows.agents.context import SharedContext as SharedContext
    from atip.workflows.api.call import Apis as Apis
    from atip.workflows.bundle.host import Status as Status
    from atip.workflows.bundle.run import Bundles as Bundles
    from atip.workflows.bundle.run import Envelope as Envelope
    from atip.workflows.cmp.run import IntentResult as IntentResult
    from atip.workflows.cmp.run import Intents as Intents
    from atip.workflows.judge import Explanation as Explanation
    from atip.workflows.proof.observe import Observation as Observation
    from atip.workflows.proof.record import Proof as Proof
    from atip.workflows.run.pattern import Patterns as Patterns
    from atip.workflows.run.preview import Preview as Preview
    from atip.workflows.run.rewrite import Rewrites as Rewrites
    from atip.workflows.run.undo import LineChanges as LineChanges
    from atip.workflows.sync import Registries as Registries
    from atip.workflows.sync import SyncedRegistries as SyncedRegistries

    Entries = list[dict[str, Any]]
    Hits = list[SearchHit]
    Names = list[str]


class Toolbox:
    """Everything known about the tools of one user on this machine."""

    def __init__(
        self, *, home: str | None = None, offline: bool | None = None, policy: str | None = None, cwd: str | None = None,
    ) -> None:  # fmt: skip
        """All state lies below `home`; `offline` opens no socket (default: as `ATIP_OFFLINE` says); `policy` is a preset that
        replaces the configured one; `cwd` is the directory whose project counts."""
        is_offline = bool(os.environ.get("ATIP_OFFLINE")) if offline is None else offline
        self.host = Host(find_places(home=home, cwd=cwd), offline=is_offline, policy=policy)
        self.places, self.offline = self.host.places, self.host.offline
        self.notices = self.host.notices

    @property
    def store(self) -> Store:
        """Known tools, on disk."""
        return self.host.store

    @property
    def audit(self) -> Audit:
        """The chain of records of what was run."""
        return self.host.audit

    def scan(self, options: ScanOptions | None = None, *, progress: Progress | None = None) -> ScanReport:  # fmt: skip
        """Find every tool, ask those that can answer, remember. See `discovery.scan`."""
        from atip.workflows.scan.machine import scan

        return scan(self.host, options, progress=progress)

    def plan_scan(self, options: ScanOptions | None = None) -> ScanPlan:
        """Plan of what `scan` would execute; executes nothing."""
        from atip.workflows.scan.machine import plan_scan

        return plan_scan(self.host, options)

    def probe(self, name: str, *, force: bool = False) -> NativeAnswer:
        """Ask one tool in two phases: `--help`, and if that speaks of it, `--agent`. See `scan.infer`."""
        from atip.workflows.scan.infer import probe_tool

        return probe_tool(name, force=force)

    def infer(self, name: str) -> SourceFinding:
        """Everything that can be learned about one tool, confined; nothing is stored. See `scan.infer`."""
        from atip.workflows.scan.infer import infer_tool

        return infer_tool(self.host, name)

    def sync(self, *, approve: Sequence[str] = (), prefetch: Sequence[str] = (), refresh: bool = True) -> SyncedRegistries:  # fmt: skip
        """Look up everything known in every remote registry; see `workflows.sync`."""
        return self.registries.sync(approve=approve, prefetch=prefetch, refresh=refresh)

    @property
    def registries(self) -> Registries:
        """Remote registries: list, sync, remove."""
        from atip.workflows.sync import Registries

        return Registries(self.host)

    def list(self) -> Entries:
        """Every tool that is known by name, as index entries with their names; CMP tools last."""
        from atip.workflows.tools import list_tools

        return list_tools(self.host)

    def find(self, name: str) -> Tool | None:
        """Metadata of a tool, or None when nothing is known."""
        from atip.workflows.tools import find_tool

        return find_tool(self.host, name)

    def get(self, name: str, words: Sequence[str] = ()) -> Tool:
        """Metadata of a tool, ready for use; arguments and errors as `workflows.tools.get_tool`."""
        from atip.workflows.tools import get_tool

        return get_tool(self.host, name, words)

    def get_document(self, name: str, words: Sequence[str] = (), *, only: bool = False) -> dict[str, Any]:  # fmt: skip
        """Metadata as stored with the patterns of every layer, plain values; what `show --json` prints. `only` as `workflows.tools.get_only`."""
        from atip.workflows import tools

        stored = (tools.get_only if only else tools.get_document)(self.host, name, words)
        return tools.with_patterns(self.host, stored) if stored else stored

    def with_claims(self, document: dict[str, Any], *, every: bool = False) -> dict[str, Any]:
        """A document with base and ceiling where they differ; see `workflows.claims`."""
        from atip.workflows.claims import with_claims

        return with_claims(self.host, document, every=every)

    def document_pieces(self, name: str) -> Sequence[bytes | memoryview]:
        """The document that `show --json` prints, in pieces; see `workflows.tools.document_pieces`."""
        from atip.workflows.tools import document_pieces

        return document_pieces(self.host, name)

    def get_part(self, name: str, commands: Sequence[str]) -> Tool:
        """Some command subtrees of a tool; see `workflows.tools.get_part`."""
        from atip.workflows.tools import get_part

        return get_part(self.host, name, commands)

    def resolve(self, name: str) -> dict[str, Any]:
        """The index entry of a tool, refreshed or discovered when needed; raises `tool.not-found`."""
        from atip.workflows.tools import resolve

        return resolve(self.host, name)

    def locate(self, name: str, *, real: bool = True) -> str:
        """The absolute path of a tool given by name or path; raises `tool.not-found`."""
        from atip.workflows.lookup import locate

        return locate(name, real=real)

    def search(
        self, words: str, limit: int = 5, *, tool: str | None = None, having: Sequence[str] = (),
        lacking: Sequence[str] = (), accept: Callable[[str], bool] | None = None, available: bool = False,
    ) -> Hits:  # fmt: skip
        """Commands by intent, best first; filters as in `workflows.search.find`."""
        from atip.workflows.search.find import search_everything

        return search_everything(
            self.host, words, limit, tool=tool, having=having, lacking=lacking, accept=accept, available=available,
        )  # fmt: skip

    def build_search_index(self, progress: Progress | None = None) -> None:
        """Bring the index of `search` up to date; a search does so by itself, but then a person waits."""
        from atip.workflows.search.sources import Sources

        Sources(self.host).index(progress).close()

    def forget(self, names: Sequence[str]) -> Names:
        """Remove tools from the index; returns those that were there."""
        return self.store.forget([*names])

    def mcp_servers(self) -> McpConfigs:
        """MCP servers that the user's clients are configured with: known, not started."""
        from atip.workflows.tools import mcp_servers

        return mcp_servers(self.host)

    def verify(self, name: str) -> Verdict:
        """Verify a tool's file as far as possible: every step, the level, the recommendation."""
        from atip.workflows.verify import verify_file

        return verify_file(self.locate(name), self.places, tool=self.find(os.path.basename(name)))

    def verify_file(self, path: str, *, tool: Tool | None = None, options: VerifyOptions | None = None) -> Verdict:  # fmt: skip
        """The verdict on one file; what is asked for replaces what lies beside it and `trust.json`."""
        from atip.workflows.verify import verify_file

        return verify_file(path, self.places, options=options, tool=tool, offline=self.offline)

    def explain(self, line: str, *, cwd: str | None = None, preset: str | None = None, once: bool = False) -> Explanation:  # fmt: skip
        """Explain what a shell line will do and whether policy lets it run; errors as `registry.policies`."""
        from atip.workflows.look import explain_for

        return explain_for(self.host, line, cwd=cwd or os.getcwd(), preset=preset, once=once)

    def run(
        self, argv: Sequence[str], *, cwd: str | None = None, stdin: bytes | None = None,
        timeout_s: float | None = None, max_bytes: int | None = None, structured: bool = False,
        ask: ConsentPrompt | None = None, runs: ActiveRuns | None = None,
    ) -> Result:  # fmt: skip
        """Run a command under policy and sandbox; arguments and errors as `workflows.run.runner`."""
        from atip.execution.call import CallOptions
        from atip.workflows.run.runner import run_argv

        options = CallOptions(cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes, structured=structured)  # fmt: skip
        return run_argv(self.host, argv, options, ask=ask, runs=runs)

    def make_call(self, argv: Sequence[str], options: CallOptions | None = None) -> ProgramCall:
        """The call for an argv, for `make_runner`; the program is found once, here."""
        from atip.workflows.run.runner import make_call

        return make_call(self.host, argv, options)

    def make_runner(
        self, *, preset: str | None = None, ask: ConsentPrompt | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
    ) -> Runner:  # fmt: skip
        """A runner with the policy, the audit and the remembered approvals of the user."""
        from atip.workflows.run.runner import make_runner

        return make_runner(self.host, preset=preset, ask=ask, on_output=on_output)

    def line_runner(
        self, line: str, *, cwd: str | None = None, stdin_fd: int = -1, ask: ConsentPrompt | None = None,
        on_output: Callable[[str, bytes], None] | None = None, read_only: bool = False, keyboard: int = -1, mark: str = "",
    ) -> tuple[Runner, ProgramCall]:  # fmt: skip
        """Runner for a whole shell line in one sandbox, and the call to hand to it; errors as `run`."""
        from atip.workflows.run.line import line_runner

        return line_runner(self.host, line, cwd=cwd, stdin_fd=stdin_fd, ask=ask, on_output=on_output, read_only=read_only, keyboard=keyboard, mark=mark)  # fmt: skip

    @property
    def client_tools(self) -> ClientTools:
        """Tools that coding agents have besides their shell."""
        from atip.workflows.agents.client_tools import ClientTools

        return ClientTools(self.host)

    @property
    def rewrites(self) -> Rewrites:
        """Lines that a client's hook answers with."""
        from atip.workflows.run.rewrite import Rewrites

        return Rewrites(self.host)

    def changes(self, *, cwd: str | None = None) -> LineChanges:
        """Changes of confined lines in a workspace, and their undo."""
        from atip.workflows.run.undo import LineChanges

        return LineChanges(self.host, cwd or os.getcwd())

    def observe(
        self, argv: Sequence[str], *, cwd: str | None = None, stdin: bytes | None = None,
        timeout_s: float | None = None, preset: str | None = None, assume_yes: bool = False,
        ask: ConsentPrompt | None = None, real: bool = False, answers: Mapping[str, bytes] | None = None,
    ) -> Observation:  # fmt: skip
        """Run a command traced on a copy, its network a stand-in that says `answers`; `real`: as `run`. Errors as `run`."""
        from atip.execution.call import CallOptions
        from atip.workflows.proof.observe import observe_argv

        options = CallOptions(cwd=cwd, stdin=stdin, timeout_s=timeout_s, assume_yes=assume_yes)
        return observe_argv(self.host, argv, options, preset=preset, ask=ask, real=real, answers=answers)  # fmt: skip

    def save_observation(self, seen: Observation) -> str:
        """Keep an observation as evidence (`observed`); returns the path of the file."""
        from atip.workflows.proof.observe import save_observation

        return save_observation(self.host, seen)

    @property
    def proof(self) -> Proof:
        """Cases of a tool, what they showed, and what is kept of it."""
        from atip.workflows.proof.record import Proof

        return Proof(self.host)

    def preview(
        self, argv: Sequence[str], *, cwd: str | None = None, stdin: bytes | None = None,
        timeout_s: float | None = None, ask: ConsentPrompt | None = None,
    ) -> Preview:  # fmt: skip
        """Run a command on a copy of what it may write; errors as `run`."""
        from atip.execution.call import CallOptions

        options = CallOptions(cwd=cwd, stdin=stdin, timeout_s=timeout_s)
        return self.preview_call(self.make_call(argv, options), ask=ask)

    def preview_call(self, call: ProgramCall, *, preset: str | None = None, ask: ConsentPrompt | None = None) -> Preview:  # fmt: skip
        """`preview` for a call that was made already."""
        from atip.workflows.run.preview import preview_call

        return preview_call(self.host, call, preset=preset, ask=ask)

    @property
    def patterns(self) -> Patterns:
        """Patterns of tools, in layers: find, plan, run."""
        from atip.workflows.run.pattern import Patterns

        return Patterns(self.host)

    def call(
        self,
        call: object,
        *,
        provider: str = "",
        cwd: str | None = None,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_bytes: int | None = None,
        ask: ConsentPrompt | None = None,
    ) -> Result:
        """Run a model's tool call; what it may be and errors are those of `workflows.agents.call.call_tool`."""
        from atip.execution.call import CallOptions
        from atip.workflows.agents.call import call_tool

        options = CallOptions(cwd=cwd, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes)
        return call_tool(self.host, call, options, provider=provider, ask=ask)

    @property
    def calls(self) -> Calls:
        """From a model's words to calls: understand, find, prepare."""
        from atip.workflows.agents.call import Calls

        return Calls(self.host)

    def run_intent(
        self,
        request: str,
        values: Mapping[str, object] | None = None,
        *,
        tool: str | None = None,
        number: int | None = None,
        options: CallOptions | None = None,
        ask: ConsentPrompt | None = None,
    ) -> IntentResult:
        """Run what a request means by the CMP tools; errors as `workflows.cmp.run`."""
        return self.intents.run(request, values, tool=tool, number=number, options=options, ask=ask)

    @property
    def context(self) -> SharedContext:
        """Tool context between agents (§10.3): export ours, take another's."""
        from atip.workflows.agents.context import SharedContext

        return SharedContext(self.host)

    @property
    def intents(self) -> Intents:
        """CMP tools: where they lie, which intent is meant, plan and run it."""
        from atip.workflows.cmp.run import Intents

        return Intents(self.host)

    @property
    def apis(self) -> Apis:
        """Operations of configured APIs: call, remember, keep sessions."""
        from atip.workflows.api.call import Apis

        return Apis(self.host)

    def bundles(
        self,
        *,
        surface: Surface | None = None,
        entry: CliHandle | None = None,
        note: Callable[[str], None] = lambda _text: None,
        fetch: Fetch | None = None,
        exchange: Exchange | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
        workspace: str = "",
    ) -> Bundles:
        """The host of CLI.md bundles (AIP-29); arguments as `workflows.bundle.host.BundleHost`."""
        from atip.workflows.bundle.run import Bundles

        return Bundles(
            self.host, surface=surface, entry=entry, note=note, fetch=fetch, exchange=exchange,
            on_output=on_output, workspace=workspace,
        )  # fmt: skip
