"""Adapters of a `define_cli` entry: login, refresh, parse_output, detect_expiry – run within the rules.

They are plain functions of the caller's own program. While one runs, its thread may not start processes (rule 5), and
`parse_output` and `detect_expiry` may touch neither files nor network (rule 4): an audit hook of the interpreter refuses
that. It catches mistakes; code in our process cannot be confined against its will, which is
why entries of foreign bundles are never loaded. A `login` that ignores its signal is abandoned.
Implements AIP-29 "Conformance rules" 3, 4, 5.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from atip.errors import AtipError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.surfaces.interface import Surface

GRACE_S = 2.0
REASONS = ("user_cancelled", "callback_failed", "upstream_error", "auth_expired")
_STARTING = (
    "subprocess.Popen", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn",
)  # fmt: skip
_TOUCHING = (
    *_STARTING,
    "open",
    "socket.",
    "os.",
    "shutil.",
    "urllib.",
    "ftplib.",
    "http.",
    "sqlite3.",
    "tempfile.",
)
_PURE_EVENTS = ("os.putenv",)
_guarded = threading.local()
_hooked: list[bool] = []


class Signal:
    """Cancellation signal of a caller. Any number of threads may share it."""

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def aborted(self) -> bool:
        return self._event.is_set()

    def abort(self) -> None:
        self._event.set()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until aborted or until the timeout; whether it was aborted."""
        return self._event.wait(timeout_s)

    def throw_if_aborted(self) -> None:
        """
        Raises:
            AtipError: `login.cancelled`.
        """
        if self.aborted:
            raise AtipError("login.cancelled", "cancelled by the caller")


class CliContext(Value):
    """Context of a call, for adapters."""

    bundle: str
    surface: str
    folder: str = ""
    workspace: str = ""


class ParsedOutput(Value):
    """Result of `parse_output`."""

    ok: bool
    value: Any = None
    error: Mapping[str, object] | None = None
    """`code`, `message`, and `retryable`."""


class Adapters(Value):
    """The functions of an entry; None: the manifest's commands are used."""

    login: Callable[..., Any] | None = None
    refresh: Callable[..., Any] | None = None
    parse_output: Callable[..., Any] | None = None
    detect_expiry: Callable[..., Any] | None = None
    signal: Signal | None = None

    def run_login(self, bundle: Bundle, surface: Surface) -> None:
        """
        Raises:
            AtipError: `login.cancelled`, `login.failed` with the adapter's reason.
        """
        result = self._abortable(self.login, _context(bundle, surface))
        if result.get("ok") is True:
            return
        reason = str(result.get("reason", "upstream_error"))
        code = "login.cancelled" if reason == "user_cancelled" else "login.failed"
        message = str(result.get("message") or reason.replace("_", " "))[:300]
        details = {"reason": reason if reason in REASONS else "upstream_error"}
        raise AtipError(code, message, details=details)

    def run_refresh(self, bundle: Bundle, surface: Surface) -> bool:
        """Refresh the login; whether that succeeded."""
        return self._abortable(self.refresh, _context(bundle, surface)).get("ok") is True

    def run_parse_output(
        self, exit_code: int, stdout: str, stderr: str, format: str
    ) -> ParsedOutput:
        """
        Raises:
            AtipError: `adapter.impure` when it uses files, processes or network; `adapter.result`.
        """
        arguments = {
            "exit_code": exit_code,
            "stdout": stdout,
            "stderr": stderr,
            "expected": {"format": format},
        }
        result = _object(_within(_TOUCHING, self.parse_output, arguments), "parse_output")
        error = result.get("error")
        return ParsedOutput(
            ok=result.get("ok") is True,
            value=result.get("value"),
            error=error if isinstance(error, dict) else None,
        )

    def run_detect_expiry(self, exit_code: int, stdout: str, stderr: str) -> bool:
        arguments = {"exit_code": exit_code, "stdout": stdout, "stderr": stderr}
        return _within(_TOUCHING, self.detect_expiry, arguments) is True

    def _abortable(
        self, adapter: Callable[..., Any] | None, context: CliContext
    ) -> Mapping[str, Any]:
        """Run an adapter in a thread of its own; after an abort it has GRACE_S to stop."""
        signal = self.signal or Signal()
        signal.throw_if_aborted()
        results: list[Any] = []
        failures: list[BaseException] = []

        def work() -> None:
            try:
                results.append(_within(_STARTING, adapter, {"context": context, "signal": signal}))
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=work, name="atip-adapter", daemon=True)
        thread.start()
        while thread.is_alive() and not signal.aborted:
            thread.join(0.05)
        if signal.aborted:
            thread.join(GRACE_S)
            raise AtipError("login.cancelled", "cancelled by the caller")
        if failures:
            raise failures[0]
        return _object(results[0], "adapter")


def _context(bundle: Bundle, surface: Surface) -> CliContext:
    return CliContext(
        bundle=bundle.key, surface=surface.name, folder=bundle.folder, workspace=bundle.workspace
    )


def _object(result: Any, what: str) -> Mapping[str, Any]:
    if isinstance(result, Value):
        return {name: getattr(result, name) for name in type(result)._fields}  # type: ignore[attr-defined]
    if not isinstance(result, dict):
        raise AtipError("adapter.result", f"`{what}` must return an object with `ok`")
    return result


def _within(
    refused: tuple[str, ...], adapter: Callable[..., Any] | None, arguments: dict[str, Any]
) -> Any:
    """Call an adapter while audit events that start with one of `refused` raise in its thread."""
    if adapter is None:
        raise AtipError("adapter.missing", "the entry does not define this adapter")
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_watch)
    _guarded.refused = refused
    try:
        return adapter(**arguments)
    finally:
        _guarded.refused = ()


def _watch(event: str, _details: tuple[object, ...]) -> None:
    refused: tuple[str, ...] = getattr(_guarded, "refused", ())
    if refused and event.startswith(refused) and event not in _PURE_EVENTS:
        # SECURITY: an adapter must not bypass the sandbox of the host.
        raise AtipError(
            "adapter.impure", f"an adapter attempted `{event}`, which only the host may do"
        )
