"""Verified bytes: what was hashed is what runs.

A program is copied once into a sealed memory file; the digest is taken of the copy, and the copy is
what the sandbox shows at the program's path. A rename or a write to the original after that changes
nothing. Scripts name their interpreter, which is resolved here and started explicitly.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time

from atip.errors import ExecutionError, TrustError
from atip.model.value import Value
from atip.system.digests import new_sha256

MAX_BYTES = 1 << 31
_CHUNK = 1 << 20
_PIECE = 1 << 16
"""Hashed at once: memory for more is taken from the kernel, and cleared, each time."""
_HEAD = 256
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
_SEAL_ATTEMPTS = 20
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
    root: str = ""
    """Folder that stands for `/` of another system, which is shown instead of this host's; empty: the host's. `path`
    and `interpreter` are then meant from there."""

    def close(self) -> None:
        """Give the memory back."""
        os.close(self.descriptor)


def seal(
    path: str, *, expected: str | None = None, root: str = "", layer: str = ""
) -> VerifiedBinary:
    """Copy, seal and hash the program at `path`.

    Args:
        expected: the digest that policy decided about, `sha256:…`; None when it is only recorded.
        layer: a folder that is laid over this host's `/`, in which the program lies; its path is then the one inside.
        root: the system that it runs on, a folder that stands for `/`; empty: this host's.

    Raises:
        TrustError: `trust.digest-mismatch` if the bytes are not the expected ones.
        ExecutionError: `execution.not-readable` or `execution.interpreter`.
    """
    real, root = os.path.realpath(path), os.path.realpath(root) if root else ""
    try:
        source = os.open(real, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise ExecutionError("execution.not-readable", f"cannot read `{path}`: {error}") from error
    target = os.memfd_create("atip-verified", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        _copy(source, target, real)
        # SECURITY: seal first, hash then: the bytes cannot be changed in between or later.
        _seal(target, path)
        digest, head = _digest(target)
        if expected is not None and digest != expected:
            raise TrustError(
                "trust.digest-mismatch",
                f"`{path}` is not the approved file: its digest changed",
                details={"expected": expected, "found": digest},
            )
        interpreter = find_interpreter(head, real, root, os.path.realpath(layer) if layer else "")
    except BaseException:
        os.close(target)
        raise
    finally:
        os.close(source)
    system = root or (os.path.realpath(layer) if layer else "")
    inner_path = real[len(system) :] if system and real.startswith(f"{system}/") else real
    return VerifiedBinary(
        path=inner_path, digest=digest, descriptor=target, interpreter=interpreter, root=root
    )


def _copy(source: int, target: int, path: str) -> None:
    size = 0
    while sent := os.sendfile(target, source, None, _CHUNK):
        size += sent
        if size > MAX_BYTES:
            raise ExecutionError(
                "execution.too-large", f"`{path}` is larger than {MAX_BYTES} bytes"
            )


def _seal(target: int, path: str) -> None:
    """Forbid every change. The kernel refuses for as long as one of its own tasks holds a page, as when memory is short."""
    for attempt in range(_SEAL_ATTEMPTS):
        try:
            fcntl.fcntl(target, fcntl.F_ADD_SEALS, _SEALS)
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(0.01 * attempt)
    raise ExecutionError(
        "execution.not-readable",
        f"cannot seal the copy of `{path}`: memory is in use by the system; run it again",
    )


def _digest(descriptor: int) -> tuple[str, bytes]:
    hasher = new_sha256(os.fstat(descriptor).st_size)
    head = b""
    offset = 0
    while data := os.pread(descriptor, _PIECE, offset):
        hasher.update(data)
        head = head or data[:_HEAD]
        offset += len(data)
    return f"sha256:{hasher.hexdigest()}", head


def find_interpreter(head: bytes, path: str, root: str = "", layer: str = "") -> tuple[str, ...]:
    """The command of a `#!` line with the program resolved in the system directories of this host or of `root`.

    Args:
        layer: is laid over the host, so that a program may lie there or here.

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
            words[0] = find_in(root, words[0]) or (find_in(layer, words[0]) if layer else "") or ""
    if words and root and os.path.isabs(words[0]):
        words[0] = real_in(root, words[0])
    places = [f"{one}{words[0]}" for one in ((root,) if root else ("", layer))] if words else []
    if (
        not words
        or not os.path.isabs(words[0])
        or not any(os.access(place, os.X_OK) for place in places)
    ):
        raise ExecutionError(
            "execution.interpreter", f"`{path}` names an interpreter that does not exist"
        )
    return tuple(words)


def find_in(root: str, name: str) -> str | None:
    """A program of a system by its name, as a path from there; `root` empty: of this host."""
    for directory in (
        "/usr/local/bin",
        "/usr/bin",
        "/bin",
        "/usr/local/sbin",
        "/usr/sbin",
        "/sbin",
    ):
        candidate = f"{directory}/{name}"
        if root:
            candidate = real_in(root, candidate)
        place = f"{root}{candidate}"
        if candidate and "/" not in name and os.path.isfile(place) and os.access(place, os.X_OK):
            return candidate
    return None


def real_in(root: str, path: str) -> str:
    """Real path inside the system at `root`, relative to it; empty: missing, or outside of it."""
    # SECURITY: links of an unpacked system are relative and stay inside by construction; looked at again all the same.
    real = os.path.realpath(f"{root}{path}")
    return real[len(root) :] if real.startswith(f"{root}/") and os.path.exists(real) else ""
