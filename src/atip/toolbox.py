"""Toolbox: where workflows meet. What a Python caller, the command line and the server use.

    box = atip.Toolbox()
    box.scan()
    box.get("gh")

Holds no state of its own beyond where things lie; every method reads the store afresh.
"""

from __future__ import annotations

import os

from atip.errors import NotFoundError
from atip.registry import layout
from atip.registry.settings import load_settings
from atip.registry.store import Store
from atip.system.clock import now_iso
from atip.system.paths import find_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import ExitStack
    from typing import Any

    from atip.api_sessions import Sessions
    from atip.bundling import BundleHost
    from atip.cmp_running import IntentResult
    from atip.discovery.executables import Executable
    from atip.discovery.ladder import Asker, Finding, Subject
    from atip.discovery.mcp_configs import McpConfigs
    from atip.discovery.native import NativeAnswer
    from atip.discovery.report import Plan, ScanReport
    from atip.discovery.scan import Progress, Scanner, ScanOptions
    from atip.execution.result import Result
    from atip.explaining import Explanation
    from atip.model.tool import Tool
    from atip.model.verdict import Verdict
    from atip.observing import Observation
    from atip.previewing import Preview
    from atip.search.index import Hit
    from atip.syncing import Synced

    Askers = list[Asker]
    Entries = list[dict[str, Any]]
    Hits = list[Hit]
    Names = list[str]
    Results = list[Result]


class Toolbox:
    """Everything known about the tools of one user on this machine."""

    def __init__(
        self, *, home: str | None = None, offline: bool | None = None, policy: str | None = None
    ) -> None:
        """
        Args:
            home: keep all state below another home directory, for tests and for other users.
            offline: never open a socket; the default is what `ATIP_OFFLINE` says.
            policy: preset that replaces the configured one.
        """
        self.places = find_places(home=home)
        self.store = Store(self.places)
        self.offline = bool(os.environ.get("ATIP_OFFLINE")) if offline is None else offline
        self.policy = policy
        self.sessions: Sessions | None = None
        self.notices: Names = []
        """What a person should be told after a scan: registries that could not be asked, and the like."""

    # -- scanning --------------------------------------------------------------------------------

    def scan(
        self, options: ScanOptions | None = None, *, progress: Progress | None = None
    ) -> ScanReport:
        """Find every tool, ask those that can answer, remember. See `discovery.scan`."""
        scanner = self._scanner(options, progress)
        from contextlib import ExitStack

        with ExitStack() as stack:
            return scanner.run(
                open_keeper=self._keeper,
                open_prober=lambda visible: self._prober(visible, scanner.options.jobs),
                open_ladder=lambda found: self._climber(scanner.options, found, stack),
            )

    def _prober(self, visible: Sequence[str], jobs: int) -> Any:
        from atip.sandbox.probe import ProbeSandbox, default_jobs

        return ProbeSandbox(visible=visible, jobs=jobs or min(default_jobs(), max(1, len(visible))))

    def plan_scan(self, options: ScanOptions | None = None) -> Plan:
        """What `scan` would execute; executes nothing."""
        return self._scanner(options, None).plan()

    def _scanner(self, options: ScanOptions | None, progress: Progress | None) -> Scanner:
        from atip.discovery.scan import Scanner, ScanOptions

        return Scanner(
            options or ScanOptions(),
            config=load_settings(self.places, "config"),
            cache=self.places.cache,
            environment_path=os.environ.get("PATH", ""),
            progress=progress,
        )

    def _keeper(self) -> Any:
        from atip.discovery.keeper import StoreKeeper

        redact = load_settings(self.places, "config").get("redact", ())
        return StoreKeeper(self.store, layout, home=self.places.home, now=now_iso(), redact=redact)

    def _climber(
        self, options: ScanOptions, found: Sequence[Executable], stack: ExitStack
    ) -> Callable[[Subject], Finding | None]:
        """The ladder as one function of a subject; `stack` ends what it had to start."""
        from atip.discovery.askers import OverrideAsker, apply_override
        from atip.discovery.frameworks.python_program import SDK
        from atip.discovery.knowing import storable
        from atip.discovery.ladder import climb
        from atip.discovery.visibility import visible_paths
        from atip.syncing import shim_askers

        override = OverrideAsker(self.places.config)
        askers = [override, *self._askers(), *shim_askers(self, stack)]
        if options.learn:
            visible = [*visible_paths(found), SDK]
            askers += self._executing_askers(
                stack.enter_context(self._prober(visible, options.jobs))
            )

        def ask(subject: Subject) -> Finding | None:
            finding = climb(subject, askers, may_execute=options.learn, merge_knowledge=storable)
            partial = override.find(subject)
            if finding is None or partial is None or finding.rung == "override":
                return finding
            return finding.replace(tool=apply_override(finding.tool, partial))

        return ask

    def _askers(self) -> Askers:
        """The rungs that execute nothing."""
        from atip.bundles.asker import BundleAsker
        from atip.discovery.askers import NativeAsker, ShimFolderAsker
        from atip.discovery.cmp_asker import CmpAsker
        from atip.discovery.documents import InstalledTexts
        from atip.discovery.frameworks.cloud_sdk import CloudSdkAsker
        from atip.discovery.frameworks.node_package import OclifAsker
        from atip.discovery.knowing import KnowledgeAsker
        from atip.discovery.learning import CompletionAsker, ManAsker

        prefixes = ["/usr/local", "/usr", "/opt/homebrew", os.path.join(self.places.home, ".local")]
        texts = InstalledTexts(prefixes)
        return [
            NativeAsker(),
            ShimFolderAsker([self.places.data]),
            BundleAsker(self.places.data),
            CmpAsker(self.places.home, load_settings(self.places, "config").get("cmpPaths", ())),
            OclifAsker(),
            CloudSdkAsker(),
            CompletionAsker(texts),
            ManAsker(texts),
            KnowledgeAsker(),
        ]

    def _executing_askers(self, prober: Any) -> Askers:
        """The rungs that run the tool, confined."""
        from atip.discovery.frameworks import executing_askers

        return executing_askers(prober)

    def sync(self, **options: Any) -> Synced:
        """Look up everything known in every remote registry; options and errors as `syncing.sync_registries`."""
        from atip.syncing import sync_registries

        return sync_registries(self, **options)

    # -- looking up ------------------------------------------------------------------------------

    def list(self) -> Entries:
        """Every tool that is known by name, as index entries with their names; CMP tools last."""
        tools = self.store.load_index()["tools"]
        from atip.cmp_looking import with_cmp

        return with_cmp(self, [{"name": name, **entry} for name, entry in sorted(tools.items())])

    def find(self, name: str) -> Tool | None:
        """Metadata of a tool, or None when nothing is known."""
        try:
            return self.get(name)
        except NotFoundError:
            return None

    def get(self, name: str, words: Sequence[str] = ()) -> Tool:
        """Metadata of a tool, with curated knowledge and layered patterns; ready for use.

        Args:
            words: of a command line; of a very large tool, only the commands that these name are complete.

        Raises:
            NotFoundError: `tool.not-found` or `store.no-metadata`.
        """
        from atip.discovery.knowing import with_knowledge
        from atip.model.decode import decode_tool
        from atip.registry.patterns import layered_patterns

        tool = with_knowledge(decode_tool(self.get_document(name, words)).replace(name=name))
        return tool.replace(patterns=layered_patterns(tool, self.places) or tool.patterns)

    def get_document(self, name: str, words: Sequence[str] = ()) -> dict[str, Any]:
        """Metadata as stored, plain values; what `show --json` prints. `words` as for `get`."""
        from atip.cmp_looking import find_document

        found = find_document(self, name)
        return found or self.store.load_metadata(name, self.resolve(name), words)

    def resolve(self, name: str) -> dict[str, Any]:
        """The index entry of a tool, refreshed when its file changed or the entry is too old, and
        discovered on demand when there is none (0.1 §3.4.2, 0.6 §4.3).

        Raises:
            NotFoundError: `tool.not-found`.
        """
        from atip.discovery.freshness import why_stale

        entry = self.store.find(name)
        reason = why_stale(entry, lambda: load_settings(self.places, "config"))
        if reason is not None:
            self._rescan(name, entry, refresh=reason == "expired")
            entry = self.store.find(name)
        if entry is None:
            raise self._unknown(name)
        return entry

    def _rescan(self, name: str, entry: dict[str, Any] | None, *, refresh: bool) -> None:
        from atip.discovery.scan import ScanOptions
        from atip.model.names import why_unsafe

        if why_unsafe(name):
            return
        own = (entry or {}).get("x-atip") or {}
        learn = own.get("rung") in ("framework", "help")
        paths = (os.path.dirname(entry["path"]),) if entry else ()
        self.scan(ScanOptions(paths=paths, only=(name,), refresh=refresh, learn=learn))
        if entry is not None and not os.path.exists(entry["path"]):
            self.store.forget([name])

    def _unknown(self, name: str) -> NotFoundError:
        from atip.model.shape import closest

        index = self.store.load_index()["tools"]
        close = closest(name, index)
        hint = f"did you mean `{close}`?" if close else "run `atip scan`"
        return NotFoundError("tool.not-found", f"no tool `{name[:80]}` is known", hint=hint)

    def search(self, words: str, limit: int = 5, **filters: Any) -> Hits:
        """Commands by intent, best first; filters as in `searching.search_everything`."""
        from atip.searching import search_everything

        return search_everything(self, words, limit, **filters)

    def forget(self, names: Sequence[str]) -> Names:
        """Remove tools from the index; returns those that were there."""
        return self.store.forget([*names])

    def mcp_servers(self) -> McpConfigs:
        """MCP servers that the user's clients are configured with: known, not started."""
        from atip.discovery.mcp_configs import read_mcp_configs

        extra = load_settings(self.places, "config").get("mcpConfigs", ())
        return read_mcp_configs(self.places, os.getcwd(), extra)

    # -- deciding --------------------------------------------------------------------------------

    def explain(self, line: str, *, cwd: str | None = None) -> Explanation:
        """What a shell line will do and whether policy lets it run; runs and scans nothing.

        Raises:
            FormatError, AtipError: when a policy file cannot be read or is not safe.
        """
        from atip.explaining import explain_for

        return explain_for(self, line, cwd=cwd or os.getcwd())

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        """Run a command under policy and sandbox; options and errors are those of `running.run_argv`."""
        from atip.running import run_argv

        return run_argv(self, argv, **options)

    def observe(self, argv: Sequence[str], **options: Any) -> Observation:
        """Run a command confined and traced, and compare; options and errors as `observing.observe_argv`."""
        from atip.observing import observe_argv

        return observe_argv(self, argv, **options)

    def preview(self, argv: Sequence[str], **options: Any) -> Preview:
        """Run a command on a copy of what it may write; options and errors as `previewing.preview_argv`."""
        from atip.previewing import preview_argv

        return preview_argv(self, argv, **options)

    def run_pattern(
        self, tool: str, name: str, values: Mapping[str, object], **options: Any
    ) -> Results:
        """Run an executable pattern step by step; options and errors as `pattern_running.run_pattern`."""
        from atip.pattern_running import run_pattern

        return run_pattern(self, tool, name, values, **options)

    def call(self, call: object, **options: Any) -> Result:
        """Run a model's tool call; what it may be, options and errors are those of `calling.call_tool`."""
        from atip.calling import call_tool

        return call_tool(self, call, **options)

    def run_intent(self, request: str, values: Any = None, **options: Any) -> IntentResult:
        """Run what a request means by the CMP tools; options and errors as `cmp_running.run_intent`."""
        from atip.cmp_running import run_intent

        return run_intent(self, request, values, **options)

    def bundles(self, **options: Any) -> BundleHost:
        """The host of CLI.md bundles (AIP-29); options are those of `bundling.BundleHost`."""
        from atip.bundling import BundleHost

        return BundleHost(self, **options)

    # -- asking one tool -------------------------------------------------------------------------

    def locate(self, name: str, *, real: bool = True) -> str:
        """The absolute path of a tool given by name or path; `real` resolves links.

        Raises:
            NotFoundError: `tool.not-found`.
        """
        if os.sep in name:
            path = os.path.abspath(name)
        else:
            import shutil

            path = shutil.which(name) or ""
        if not os.path.isfile(path) or not os.access(path, os.X_OK):
            raise NotFoundError(
                "tool.not-found",
                f"no executable `{name[:80]}`",
                hint="give a name on the PATH or a path",
            )
        return os.path.realpath(path) if real else path

    def probe(self, name: str, *, force: bool = False) -> NativeAnswer:
        """Ask one tool in two phases: `--help`, and if that speaks of it, `--agent`. See `inferring`."""
        from atip.inferring import probe_tool

        return probe_tool(self, name, force=force)

    def verify(self, name: str) -> Verdict:
        """What can be established about a tool's file: every step, the level, the recommendation."""
        from atip.verifying import verify_file

        return verify_file(self.locate(name), self.places, tool=self.find(os.path.basename(name)))

    def get_part(self, name: str, commands: Sequence[str]) -> Tool:
        """Some command subtrees of a tool: from what is stored, or, where only an overview is, by asking
        the tool for just these, confined (§3.1.1 agent strategy).

        Raises:
            NotFoundError: `view.unknown-command`.
        """
        from atip.model.view import view

        tool = self.get(name)
        missing = [path for path in commands if not _is_expanded(tool, path)]
        if not (tool.partial and missing and tool.trust and tool.trust.source == "native"):
            return view(tool, commands=commands)
        from atip.discovery.knowing import with_knowledge
        from atip.discovery.native import judge_answer

        path = self.locate(str(self.resolve(name)["path"]))
        with self._prober(self._visible(path), 1) as box:
            answer = box.run([path, "--agent", "--commands=" + ",".join(commands)])
        return with_knowledge(judge_answer(name, answer).tool)

    def _visible(self, path: str) -> Sequence[str]:
        from atip.discovery.stubs import head_of, needed_paths, parse_stub

        return [os.path.dirname(path), *needed_paths(path, parse_stub(path, head_of(path)))]

    def infer(self, name: str) -> Finding:
        """Everything that can be learnt about one tool, confined; nothing is stored. See `inferring`."""
        from atip.inferring import infer_tool

        return infer_tool(self, name)


def _is_expanded(tool: Tool, path: str) -> bool:
    """Whether the stored tree holds the details of a command, not only its name."""
    command = tool.find(tuple(path.replace(".", " ").split()))
    return command is not None and bool(command.commands or command.options or command.arguments)
