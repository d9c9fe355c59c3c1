"""Types of a `define_cli` entry: fields of a definition, parameters and results of adapters. For type checkers only.

Names are Python's; the text's own (`parseOutput`) are accepted by `define_cli` too. The TypeScript twin is written by
`typescript.py`. Implements AIP-29 "Signature (TypeScript notation, normative)".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Protocol, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.bundles.entry.adapters import CliContext, Signal


class LoginResult(TypedDict):
    """Result of `login`; `reason` where `ok` is false."""

    ok: bool
    reason: NotRequired[Literal["user_cancelled", "callback_failed", "upstream_error"]]
    message: NotRequired[str]


class RefreshResult(TypedDict):
    """Result of `refresh`; `nextRefreshAt` is ISO 8601."""

    ok: bool
    nextRefreshAt: NotRequired[str]
    reason: NotRequired[Literal["auth_expired", "upstream_error"]]
    message: NotRequired[str]


class OutputContract(TypedDict):
    """Output conventions declared in the manifest."""

    format: Literal["text", "json", "yaml", "binary"]


class OutputError(TypedDict):
    """Why an output is a failure."""

    code: str
    message: str
    retryable: NotRequired[bool]


class ParseOutputResult(TypedDict):
    """Result of `parse_output`."""

    ok: bool
    value: NotRequired[Any]
    error: NotRequired[OutputError]


class LoginAdapter(Protocol):
    def __call__(self, *, context: CliContext, signal: Signal) -> LoginResult: ...


class RefreshAdapter(Protocol):
    def __call__(self, *, context: CliContext, signal: Signal) -> RefreshResult: ...


class ParseOutputAdapter(Protocol):
    def __call__(
        self, *, exit_code: int, stdout: str, stderr: str, expected: OutputContract
    ) -> ParseOutputResult: ...


class DetectExpiryAdapter(Protocol):
    def __call__(self, *, exit_code: int, stdout: str, stderr: str) -> bool: ...


class CliDefinition(TypedDict, total=False):
    """Fields of a definition; `id`, `name`, `description` and `bin` are required."""

    id: str
    name: str
    description: str
    version: str
    bin: str
    install: Sequence[Mapping[str, Any]]
    version_check: Mapping[str, Any]
    sandbox: Mapping[str, Any]
    commands: Mapping[str, Any]
    login: LoginAdapter
    refresh: RefreshAdapter
    parse_output: ParseOutputAdapter
    detect_expiry: DetectExpiryAdapter
    tags: Sequence[str]
    metadata: Mapping[str, Any]
