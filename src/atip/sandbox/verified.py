"""Verified bytes: what was hashed is what runs.

A program is copied once into a sealed memory file; the digest is taken of the copy, and the copy is
what the sandbox shows at the program's path. A rename or a write to the original after that changes
nothing. Scripts name their interpreter, which is resolved here and started explicitly.
"""

from __future__ import annotations

import fcntl
import os

from atip.errors import ExecutionError, TrustError
from atip.model.value import Value
from atip.system.digests import new_sha256

MAX_BYTES = 1 << 31
_CHUNK = 1 << 20
_HEAD = 256
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_ENV_PROGRAMS = ("/usr/bin/env", "/bin/env")


class VerifiedBinary(Value):
    """Sealed bytes of one program. Close it with `close` when the runs are over."""

    path: str
    """Real path of the file that was read; the sandbox shows the bytes there."""
    digest: str
    """`sha256:…` of the sealed bytes."""
    descriptor: int
    interpreter: tuple[str, ...] = ()
    """Program and option of a `#!` line, resolved; empty for machine code."""

    def close(self) -> None:
        """Give the memory back."""
        os.close(self.descriptor)


def seal(path: str, *, expected: str | None = None) -> VerifiedBinary:
    """Copy, seal and hash the program at `path`.

    Args:
        expected: the digest that policy decided about, `sha256:…`; None when it is only recorded.

    Raises:
        TrustError: `trust.digest-mismatch` if the bytes are not the expected ones.
        ExecutionError: `execution.not-readable` or `execution.interpreter`.
    """
    real = os.path.realpath(path)
    try:
        source = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise ExecutionError("execution.not-readable", f"cannot read `{path}`: {error}") from error
    target = os.memfd_create("atip-verified", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        _copy(source, target, real)
        # SECURITY: seal first, hash then: nobody can change the bytes in between or later.
        fcntl.fcntl(target, fcntl.F_ADD_SEALS, _SEALS)
        digest, head = _digest(target)
        if expected is not None and digest != expected:
            raise TrustError(
                "trust.digest-mismatch",
                f"`{path}` is not the file that was approved",
                details={"expected": expected, "found": digest},
            )
        interpreter = find_interpreter(head, real)
    except BaseException:
        os.close(target)
        raise
    finally:
        os.close(source)
    return VerifiedBinary(path=real, digest=digest, descriptor=target, interpreter=interpreter)


def _copy(source: int, target: int, path: str) -> None:
    done = 0
    while sent := os.sendfile(target, source, None, _CHUNK):
        done += sent
        if done > MAX_BYTES:
            raise ExecutionError(
                "execution.too-large", f"`{path}` is larger than {MAX_BYTES} bytes"
            )


def _digest(descriptor: int) -> tuple[str, bytes]:
    hasher = new_sha256(os.fstat(descriptor).st_size)
    head = b""
    offset = 0
    while data := os.pread(descriptor, _CHUNK, offset):
        hasher.update(data)
        head = head or data[:_HEAD]
        offset += len(data)
    return f"sha256:{hasher.hexdigest()}", head


def find_interpreter(head: bytes, path: str) -> tuple[str, ...]:
    """The command of a `#!` line with the program resolved in the system directories.

    Raises:
        ExecutionError: `execution.interpreter` for a line that names none that exists.
    """
    if not head.startswith(b"#!"):
        return ()
    line = head[2:].split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    program, _, option = line.partition(" ")
    words = [program, *([option.strip()] if option.strip() else [])]
    if program in _ENV_PROGRAMS:
        words = [word for word in option.split() if word != "-S"]
        if words and "=" not in words[0] and not words[0].startswith("-"):
            words[0] = _search(words[0]) or ""
    if not words or not os.path.isabs(words[0]) or not os.access(words[0], os.X_OK):
        raise ExecutionError("execution.interpreter", f"`{path}` names no interpreter that exists")
    return tuple(words)


def _search(name: str) -> str | None:
    for directory in ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin"):
        candidate = os.path.join(directory, name)
        if "/" not in name and os.access(candidate, os.X_OK):
            return candidate
    return None
