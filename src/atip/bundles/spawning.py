"""Commands of a manifest (`version_check`, `login`, `skip_if`, setup steps), run confined.

    output = Spawner(bundle, binary="/usr/bin/jq").run("jq --version", confinement, timeout_s=5)

A command names the bundle's own program, a file of the bundle, or a program of `exec.spawn`; nothing else can be
started. No shell. The bytes that run are the bytes that were sealed. Implements AIP-29 `cmd` fields; P12, P17;
SECURITY.md rule 2.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from atip.bundles.documents.loading import inside
from atip.bundles.images import find_program
from atip.calls.templates.command_line import fill_command, split_command
from atip.errors import EXIT_TIMEOUT, AtipError, ExecutionError, FormatError
from atip.model.permissions.confinement import MIB, Confinement, Limits
from atip.model.value import Value
from atip.sandbox.run import RunRequest, start_confined
from atip.sandbox.verified import seal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.state import BundleProgram
    from atip.sandbox.running import RunningProcess

    Start = Callable[..., RunningProcess]
    Keyboard = Callable[[], contextlib.AbstractContextManager[int]]
    """A descriptor to read keys from, while it is open."""

MAX_OUTPUT = 1_000_000
LIMITS = Limits(memory_bytes=2048 * MIB, processes=128, file_bytes=1024 * MIB)


class CommandOutput(Value):
    """Output and exit status of a command."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    cancelled: bool = False

    @property
    def text(self) -> str:
        """Both streams: programs print versions on either."""
        return self.stdout if not self.stderr else f"{self.stdout}\n{self.stderr}"


class CommandSpawner:
    """Runs the commands of one bundle."""

    def __init__(
        self,
        bundle: Bundle,
        program: BundleProgram,
        *,
        home: str = "",
        env: Mapping[str, str] | None = None,
        start: Start = start_confined,
        on_output: Callable[[str, bytes], None] | None = None,
        keyboard: Keyboard | None = None,
    ) -> None:
        """
        Args:
            env: the caller's variables; the confinement says which are passed.
            on_output: receives output as it arrives, for interactive flows.
            keyboard: input of the terminal while a command is attended; None: no input.
        """
        self.bundle = bundle
        self.program = program
        self.home = home
        self.env = os.environ if env is None else env
        self._start = start
        self._on_output = on_output
        self._keyboard = keyboard
        self._running: RunningProcess | None = None

    def run(
        self,
        command: str,
        confinement: Confinement,
        *,
        timeout_s: float,
        values: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        cwd: str | None = None,
        attended: bool = False,
    ) -> CommandOutput:
        """Run a command string.

        Args:
            attended: forward keyboard input to the command's private terminal, if it has one.
            values: values for `${value}` and other placeholders, in addition to the variables of `env.pass`.

        Raises:
            FormatError: the command needs a shell, or a value is missing.
            ExecutionError: `bundle.program` when it names a program that the bundle may not start.
            SandboxError: the confinement is not available here.
        """
        argv = self.argv(command, confinement, values or {})
        program = self._program(argv[0], confinement)
        is_own = program == self.program.binary
        binary = seal(
            program, expected=self.program.digest if is_own else None, root=self.program.root
        )
        pieces: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}

        def take(name: str, data: bytes) -> None:
            buffer = pieces.get(name, pieces["stdout"])
            buffer += data[: MAX_OUTPUT - len(buffer)]
            if self._on_output is not None:
                self._on_output(name, data)

        typed = self._keyboard if attended and confinement.tty else None
        try:
            with typed() if typed is not None else contextlib.nullcontext(-1) as keyboard:
                request = RunRequest(
                    argv=argv,
                    binary=binary,
                    cwd=cwd,
                    workspace=self.bundle.workspace,
                    stdin=stdin,
                    caller_env=self.env,
                    home=self.home,
                    keyboard=keyboard,
                )
                self._running = self._start(
                    self._with_visible(confinement, timeout_s), request, take
                )
                outcome = self._running.wait()
        finally:
            self._running = None
            binary.close()
        return CommandOutput(
            exit_code=EXIT_TIMEOUT if outcome.timed_out else outcome.exit_code,
            stdout=pieces["stdout"].decode("utf-8", "replace"),
            stderr=pieces["stderr"].decode("utf-8", "replace"),
            timed_out=outcome.timed_out,
            cancelled=outcome.cancelled,
        )

    def cancel(self) -> None:
        """Cancel the running command."""
        running = self._running
        if running is not None:
            running.cancel()

    def argv(
        self, command: str, confinement: Confinement, values: Mapping[str, str]
    ) -> tuple[str, ...]:
        """Split a command and fill in variables and values."""
        passed = {name: self.env[name] for name in confinement.env_pass if name in self.env}
        return fill_command(
            split_command(command), {**passed, **dict(confinement.env_set), **values}
        )

    def _program(self, word: str, confinement: Confinement) -> str:
        manifest = self.bundle.manifest
        if (
            word == manifest.bin
            or os.path.basename(word) == os.path.basename(self.program.binary) == word
        ):
            return self.program.binary
        if "/" in word:
            try:
                path = inside(self.bundle.folder, word)
            except FormatError as error:
                raise ExecutionError("bundle.program", error.message) from error
            if os.path.realpath(self.program.binary) == path:
                return self.program.binary
            if os.access(path, os.X_OK):
                return path
        elif confinement.exec_allow and word in confinement.exec_spawn:
            import shutil

            program = (
                find_program(self.program.root, word) if self.program.root else shutil.which(word)
            )
            if program is not None:
                return os.path.realpath(program)
        # SECURITY: a command string must not bypass `exec.spawn`.
        raise ExecutionError(
            "bundle.program",
            f"`{word[:80]}` is neither the bundle's program nor listed in `sandbox.exec.spawn`",
            hint="add it to `sandbox.exec.spawn`, or use the bundle's own program",
        )

    def _with_visible(self, confinement: Confinement, timeout_s: float) -> Confinement:
        reads = tuple(f"{path.rstrip('/')}/**" for path in self.program.visible)
        return confinement.replace(
            fs_read=tuple(dict.fromkeys((*confinement.fs_read, *reads))),
            limits=LIMITS.replace(wall_s=timeout_s),
        )


def explain_failure(output: CommandOutput) -> str:
    """Describe a failed command: its exit code or timeout, and the last line of its output."""
    lines = [line.strip() for line in output.text.splitlines() if line.strip()]
    ending = "timed out" if output.timed_out else f"ended with {output.exit_code}"
    return f"{ending}: {lines[-1][:200]}" if lines else ending


def must(output: CommandOutput, code: str, what: str) -> CommandOutput:
    """Return the output, or raise if the exit code is not 0."""
    if output.exit_code != 0:
        raise AtipError(code, f"{what} {explain_failure(output)}")
    return output


def digest_of(path: str) -> str:
    """`sha256:…` of a program."""
    binary = seal(path)
    binary.close()
    return binary.digest
