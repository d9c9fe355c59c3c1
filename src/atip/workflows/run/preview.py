"""Preview: run a command on a copy-on-write view of what it may write, show the changes, keep or drop them.

    with host.preview(["sed", "-i", "s/a/b/", "notes.txt"]) as preview:
        print(preview.render())
        preview.keep()

In every other respect the run is an ordinary one: policy decides, the user confirms, the audit records. Only file
changes are held back, not network traffic. Changes are dropped unless `keep` is called.
"""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, Any, Self

from atip.execution.output.result import Result, clean_output
from atip.execution.redaction.redact import redact_text
from atip.model.value import Value
from atip.sandbox.preview import FileChange, Stage, find_changes
from atip.sandbox.preview_apply import AppliedChanges, apply_changes
from atip.workflows.run.on_copy import stage_request
from atip.workflows.run.runner import make_runner

if TYPE_CHECKING:
    from types import TracebackType

    from atip.execution.call import ProgramCall
    from atip.execution.consent import ConsentPrompt
    from atip.model.permissions.confinement import Confinement
    from atip.sandbox.run import RunRequest
    from atip.sandbox.running import RunningProcess
    from atip.workflows.host import Host

MAX_TEXT = 256 * 1024
MAX_LINES = 400
"""Lines shown of one file's difference; the rest is counted."""


class FileDifference(Value):
    """One change for display: redacted, bounded."""

    path: str
    kind: str
    what: str
    """`file`, `folder`, `link` or `other`: after the change, or before for a deletion."""
    before_bytes: int
    after_bytes: int
    mode: str = ""
    """`0644 → 0755` where the mode changed."""
    target: str = ""
    diff: str = ""
    """Unified difference of text; empty for anything else."""

    def to_json(self) -> dict[str, object]:
        document: dict[str, object] = {
            "path": self.path,
            "kind": self.kind,
            "what": self.what,
            "beforeBytes": self.before_bytes,
            "afterBytes": self.after_bytes,
        }
        extra = {"mode": self.mode, "target": self.target, "diff": self.diff}
        return {**document, **{key: value for key, value in extra.items() if value}}


class Preview:
    """A run whose changes are not applied yet. Close it, or use it in a `with`."""

    def __init__(self, result: Result, stage: Stage) -> None:
        self.result = result
        self._stage = stage
        self.changes: tuple[FileChange, ...] = find_changes(stage)
        self.applied: AppliedChanges | None = None
        self._differences: tuple[FileDifference, ...] | None = None

    @property
    def differences(self) -> tuple[FileDifference, ...]:
        """Every change, for display."""
        if self._differences is None:
            self._differences = tuple(_difference(change) for change in self.changes)
        return self._differences

    def keep(self) -> AppliedChanges:
        """Apply the changes.

        Raises:
            SandboxError: `preview.changed-since`: one of the files changed since the run; nothing was written.
        """
        self.differences  # noqa: B018  what was shown is what is kept: read before the stage goes
        self.applied = apply_changes(self.changes)
        self.close()
        return self.applied

    def close(self) -> None:
        """Drop changes that were not kept."""
        self._stage.close()

    def render(self) -> str:
        """The changes as text, without control characters."""
        if not self.changes:
            return "no file would change\n"
        return clean_output("".join(_lines(difference) for difference in self.differences))

    def to_json(self) -> dict[str, object]:
        """The document of `run --preview --json`."""
        applied = self.applied
        return {
            **self.result.to_json(),
            "preview": {
                "changes": [difference.to_json() for difference in self.differences],
                "kept": list(applied.applied) if applied else [],
                "leftOut": [{"path": path, "why": why} for path, why in applied.left_out]
                if applied
                else [],
                "dropped": applied is None,
            },
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def preview_call(
    host: Host, call: ProgramCall, *, preset: str | None = None, ask: ConsentPrompt | None = None
) -> Preview:
    """Run a call on a copy of what it may write.

    Raises:
        Denied, NeedsConfirmation, SandboxError, ExecutionError: as `Toolbox.run`; nothing was started.
    """
    stages: list[Stage] = []

    def start(
        confinement: Confinement, request: RunRequest, *rest: Any, **options: Any
    ) -> RunningProcess:
        from atip.sandbox.run import start_confined

        staged, stage = stage_request(host, confinement, request)
        stages.append(stage)
        return start_confined(confinement, staged, *rest, **options)

    try:
        result = make_runner(host, preset=preset, ask=ask, start=start).run(call)
        for stage in stages[:-1]:
            stage.close()
        return Preview(result, stages[-1])
    except BaseException:
        for stage in stages:
            stage.close()
        raise


def _difference(change: FileChange) -> FileDifference:
    before, after = change.before, change.after
    mode = ""
    if before.kind == after.kind and before.mode != after.mode and after.kind != "link":
        mode = f"{before.mode:04o} → {after.mode:04o}"
    return FileDifference(
        path=change.path,
        kind=change.kind,
        what=after.kind if after.kind != "nothing" else before.kind,
        before_bytes=before.size,
        after_bytes=after.size,
        mode=mode,
        target=change.target,
        diff=_diff(change) if change.kind in ("created", "changed", "deleted") else "",
    )


def _diff(change: FileChange) -> str:
    """A unified difference without secrets; empty where one side is not text, or too long."""
    old = _text(change.path) if change.before.kind == "file" else []
    new = _text(change.staged) if change.after.kind == "file" else []
    if old is None or new is None or not (old or new):
        return ""
    diff_lines = list(difflib.unified_diff(old, new, "before", "after", n=2))
    more = len(diff_lines) - MAX_LINES
    lines = [line if line.endswith("\n") else f"{line}\n" for line in diff_lines[:MAX_LINES]]
    if more > 0:
        lines.append(f"[{more} more lines]\n")
    return redact_text("".join(lines))


def _text(path: str) -> list[str] | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        data = file.read(MAX_TEXT + 1)
    if len(data) > MAX_TEXT or b"\0" in data:
        return None
    try:
        return data.decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return None


def _lines(difference: FileDifference) -> str:
    from atip.execution.consent import clean_line

    head = f"{difference.kind:<8} {clean_line(difference.path)}"
    if difference.what == "folder":
        head += "/"
    if difference.target:
        head += f" → {clean_line(difference.target)}"
    if difference.mode:
        head += f"  ({difference.mode})"
    elif difference.what == "file" and not difference.diff:
        head += f"  ({difference.before_bytes} → {difference.after_bytes} bytes)"
    body = "".join(f"    {line}\n" for line in difference.diff.splitlines()[2:])
    return f"{head}\n{body}"
