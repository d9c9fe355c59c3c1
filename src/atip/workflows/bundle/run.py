"""Run a tool of a bundle: check state and inputs, fill the template, judge, run confined, return an envelope.

    (1) the bundle is installed, unchanged, of a version in range, set up and logged in – or an error with the next step
    (2) inputs are validated by the tool's schema, the template is filled, `bin_args` go in front
    (3) policy judges the argv; the enforced sandbox excludes effects, what the bundle declares is only a claim
    (4) the confinement is bundle ∩ tool ∩ policy; the user's grant for this bundle counts as a grant of the user's layer
    (5) the run, through the same runner as every other
    (6) the result as an envelope; an expired login is detected and confirmed

Implements AIP-29 "Subcommands", "Args template", "Output conventions", "Sandbox".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.bundles.governance import changed_documents, refuse_unreviewed
from atip.bundles.spawning import digest_of
from atip.bundles.state import get_installed
from atip.bundles.versions import version_mismatch
from atip.calls.templates.argv import expand, needed_names
from atip.errors import FormatError, TrustError
from atip.execution.call import CallOptions, Judgment, ProgramCall
from atip.execution.output.conventions import message_of, parse_output, read_conventions, with_json
from atip.execution.output.result import DEFAULT_MAX_BYTES
from atip.execution.runner import Runner
from atip.model.problems import Problem, render_path
from atip.model.shapes.json_schema import compile_schema, schema_problems
from atip.model.value import Value
from atip.workflows.bundle.author import draft_bundle, skill_of, write_entry
from atip.workflows.bundle.host import BundleHost
from atip.workflows.bundle.judge import judge_tool
from atip.workflows.lookup import look_up_tool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.state import Installation
    from atip.codecs.climd.tool import BundleTool
    from atip.execution.consent import ConsentPrompt
    from atip.execution.output.result import Result
    from atip.workflows.bundle.author import BundleDraft

SYSTEM = ("/usr/", "/bin/", "/opt/", "/nix/store/")
"""Folders that only the system's package manager changes."""


class Envelope(Value):
    """The result of a tool, as the caller of a bundle sees it."""

    ok: bool
    bundle: str
    command: tuple[str, ...]
    meaning: str
    """Meaning of the exit code."""
    value: Any = None
    """Parsed output; a string where the tool prints plain text."""
    error: Mapping[str, object] | None = None
    """`code`, `message`, `retryable`; None: success."""
    result: Result

    def to_json(self) -> dict[str, object]:
        return {
            "ok": self.ok,
            "bundle": self.bundle,
            "command": list(self.command),
            "meaning": self.meaning,
            "value": self.value,
            "error": dict(self.error) if self.error else None,
            "result": self.result.to_json(),
        }


def run_tool(
    bundles: BundleHost,
    bundle: Bundle,
    words: Sequence[str],
    inputs: Mapping[str, object],
    options: CallOptions | None = None,
    *,
    ask: ConsentPrompt | None = None,
) -> Envelope:
    """Run one tool.

    Raises:
        NotFoundError: `bundle.not-installed`, `bundle.no-command`.
        AtipError: `bundle.review-needed`, `runner.no-runtime`, `version_mismatch`, `setup_required`.
        AuthRequired: `auth_required`.
        FormatError: `call.invalid`.
        Denied, NeedsConfirmation, SandboxError, ExecutionError: as every run.
    """
    options = options or CallOptions()
    installed = ready(bundles, bundle)  # (1)
    tool = bundle.get(words)
    call = make_bundle_call(bundles, bundle, installed, tool, inputs, options)
    runner = make_bundle_runner(bundles, bundle, installed, tool, ask=ask)
    result = runner.run(call)  # (5)
    bundles.record(
        {"event": "bundle-run", "bundle": bundle.key, "tool": tool.id, "run": result.run_id}
    )
    login = bundles.login(bundle, installed)
    expired = login.after(result.exit_code, stdout=result.stdout, stderr=result.stderr)
    return _envelope(
        bundles, bundle, tool, result, structured=options.structured, expired=expired
    )  # (6)


# --- (1) -------------------------------------------------------------------------------------------


def ready(bundles: BundleHost, bundle: Bundle) -> Installation:
    """Return the installation of a bundle that is ready to run; see `run_tool` for the errors."""
    from atip.bundles.setup import setup_required

    installed = get_installed(bundles.store, bundle)
    refuse_unreviewed(bundle.key, changed_documents(bundle, installed))
    installed = _same_program(bundles, bundle, installed)
    pending = bundles.ledger(bundle).pending(bundle.manifest.setup)
    if pending:
        raise setup_required(bundle, pending)
    bundles.login(bundle, installed).ensure()
    return installed


def _same_program(bundles: BundleHost, bundle: Bundle, installed: Installation) -> Installation:
    """Check that the program is the approved one; after an update by the system's package manager, check its version again."""
    digest = digest_of(installed.binary)
    if digest == installed.digest:
        return installed
    real = os.path.realpath(installed.binary)
    # SECURITY: new content counts as an update only in folders that the user cannot write.
    if installed.method not in ("present", "apt", "dnf", "pacman", "brew") or not real.startswith(
        SYSTEM
    ):
        raise TrustError(
            "trust.digest-mismatch",
            f"`{installed.binary}` changed since it was installed",
            hint="run `atip bundle install` again",
            details={"expected": installed.digest, "found": digest},
        )
    finding = bundles.check_version(bundle, installed.program.replace(digest=None))
    if not finding.ok:
        raise version_mismatch(bundle.key, finding)
    bundles.note(f"{bundle.key}: the program was updated to {finding.printed}")
    updated = installed.replace(digest=digest, version=finding.printed)
    bundles.store.save(updated)
    return updated


# --- (2) -------------------------------------------------------------------------------------------


def make_bundle_call(
    bundles: BundleHost,
    bundle: Bundle,
    installed: Installation,
    tool: BundleTool,
    inputs: Mapping[str, object],
    options: CallOptions | None = None,
) -> ProgramCall:
    """Make the call of a tool with checked inputs.

    Raises:
        FormatError: `call.invalid`, `template.invalid`.
    """
    options = options or CallOptions()
    values = check_inputs(tool, inputs)
    name = os.path.basename(bundle.manifest.bin)
    metadata = look_up_tool(bundles.host.places, name)
    argv = expand(
        tool.template, values, program=name, before=_bin_args(bundle, tool), tool=metadata
    )
    if options.structured:
        argv = with_json(argv, read_conventions(bundle.manifest.fields.get("output")))
    bounds = [bound for bound in (options.timeout_s, tool.timeout_s) if bound]
    return ProgramCall(
        argv=argv,
        program=installed.binary,
        expected=installed.digest,
        root=installed.root,
        image=installed.image,
        cwd=bundles.workspace,
        home=bundles.host.places.home,
        stdin=options.stdin,
        env=bundles.environment(bundle),
        timeout_s=min(bounds) if bounds else None,
        max_bytes=options.max_bytes or DEFAULT_MAX_BYTES,
        assume_yes=options.assume_yes,
        structured=options.structured,
    )


def _bin_args(bundle: Bundle, tool: BundleTool) -> tuple[str, ...]:
    """`bin_args`, without options that the tool's own template sets."""
    template_flags = {word.partition("=")[0] for word in tool.template if word.startswith("-")}
    words: list[str] = []
    dropping = False
    for word in bundle.manifest.bin_args:
        if word.startswith("-"):
            dropping = word.partition("=")[0] in template_flags
        if not dropping:
            words.append(word)
    return tuple(words)


def check_inputs(tool: BundleTool, inputs: Mapping[str, object]) -> dict[str, object]:
    """Validate inputs against the tool's schema; fills in defaults where the template needs a value.

    Raises:
        FormatError: `call.invalid` with every problem.
    """
    schema = dict(tool.inputs)
    properties = schema.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    values = {name: value for name, value in inputs.items() if value is not None}
    for name in needed_names(tool.template):
        # A default fills a required placeholder; elsewhere it only documents the program's own default.
        declaration = declared.get(name)
        if name not in values and isinstance(declaration, dict) and "default" in declaration:
            values[name] = declaration["default"]
    problems = [
        Problem(
            path=render_path((name,)),
            code="call.unknown-argument",
            message="is not an input of the tool",
        )
        for name in values
        if name not in declared
    ]
    if schema:
        problems += [
            Problem(path=render_path(path), code="call.wrong-type", message=message)
            for path, message in schema_problems(compile_schema(schema), values)
        ]
    if problems:
        first = problems[0]
        raise FormatError("call.invalid", f"{first.path}: {first.message}", problems=problems)
    return values


# --- (3) and (4) -----------------------------------------------------------------------------------


def make_bundle_runner(
    bundles: BundleHost,
    bundle: Bundle,
    installed: Installation,
    tool: BundleTool,
    *,
    ask: ConsentPrompt | None = None,
) -> Runner:
    """A runner that judges calls of one tool of one bundle."""
    from atip.execution.approvals import Approvals

    def judge(call: ProgramCall, digest: str) -> Judgment:
        return judge_tool(bundles, bundle, installed, tool, call, digest)

    return Runner(
        judge,
        audit=bundles.host.audit,
        ask=ask,
        approved=Approvals(bundles.host.places.config).holds,
    )


# --- (6) -------------------------------------------------------------------------------------------


def _envelope(
    bundles: BundleHost,
    bundle: Bundle,
    tool: BundleTool,
    result: Result,
    *,
    structured: bool,
    expired: bool,
) -> Envelope:
    output = bundle.manifest.output
    meaning = "auth_required" if expired else output.exit_codes.get(result.exit_code, "error")
    envelope = Envelope(
        ok=result.exit_code == 0 and not expired,
        bundle=bundle.key,
        command=tool.path,
        meaning=meaning,
        result=result,
    )
    adapters = bundles.entry.adapters if bundles.entry else None
    if adapters is not None and adapters.parse_output is not None:
        parsed = adapters.run_parse_output(
            result.exit_code, result.stdout, result.stderr, output.format
        )
        return envelope.replace(ok=parsed.ok, value=parsed.value, error=parsed.error)
    conventions = read_conventions(bundle.manifest.fields.get("output"))
    text = message_of(result.stdout, result.stderr, failed=not envelope.ok, conventions=conventions)
    if not envelope.ok:
        return envelope.replace(error=_error(bundle, meaning, text))
    output_format = "json" if structured and output.json_flag else output.format
    try:
        return envelope.replace(value=_parse(text, output_format))
    except FormatError as error:
        error_block = {"code": "output_invalid", "message": error.message, "retryable": False}
        return envelope.replace(ok=False, value=text, error=error_block)


def _parse(text: str, format: str) -> Any:
    if format == "json":
        return parse_output(text)
    if format == "yaml":
        from atip.model.reading.yaml_reader import parse_yaml

        return parse_yaml(text)
    return text


def _error(bundle: Bundle, meaning: str, text: str) -> dict[str, object]:
    last = next((line for line in reversed(text.splitlines()) if line.strip()), meaning)
    block: dict[str, object] = {
        "code": meaning,
        "message": last.strip()[:500],
        "retryable": meaning in ("timeout", "rate_limited"),
    }
    if meaning == "auth_required":
        block["hint"] = f"run `atip bundle login {bundle.folder}`"
    return block


class Bundles(BundleHost):
    """The bundle host of one user, with running and authoring."""

    def run(
        self,
        bundle: Bundle,
        words: Sequence[str],
        inputs: Mapping[str, object],
        *,
        assume_yes: bool = False,
        structured: bool = False,
        stdin: bytes | None = None,
        timeout_s: float | None = None,
        max_bytes: int | None = None,
        ask: ConsentPrompt | None = None,
    ) -> Envelope:
        """Run a tool of a bundle; errors as in `run_tool`."""
        options = CallOptions(
            assume_yes=assume_yes, structured=structured, stdin=stdin, timeout_s=timeout_s, max_bytes=max_bytes
        )  # fmt: skip
        return run_tool(self, bundle, words, inputs, options, ask=ask)

    def plan(
        self,
        bundle: Bundle,
        words: Sequence[str],
        inputs: Mapping[str, object],
        options: CallOptions | None = None,
    ) -> tuple[ProgramCall, Judgment, str]:
        """Plan a run: the call, its judgment, and the digest of the program; runs no tool."""
        installed, tool = ready(self, bundle), bundle.get(words)
        call = make_bundle_call(self, bundle, installed, tool, inputs, options)
        return call, *make_bundle_runner(self, bundle, installed, tool).plan(call)

    def draft(
        self,
        program: str,
        *,
        observe: Sequence[Sequence[str]] = (),
        ask: ConsentPrompt | None = None,
    ) -> BundleDraft:
        """Draft a new bundle for a program; errors as in `author.draft_bundle`."""
        return draft_bundle(self.host, program, observe=observe, ask=ask, note=self.note)

    def skill(self, bundle: Bundle, *, is_ready: bool, next_step: str = "") -> str:
        """SKILL.md of a bundle."""
        return skill_of(bundle, is_ready=is_ready, next_step=next_step)

    def write_entry(self, bundle: Bundle, language: str, folder: str) -> list[str]:
        """Write an entry for a bundle; errors as in `author.write_entry`."""
        return write_entry(bundle, language, folder)
