"""Actions of an install: run package managers, fetch files by hash, run installer scripts confined.

Every download is checked before a byte of it is written where it could be used; every manager's output goes to a log
of which the end is shown when it fails. Implements AIP-29 `verify_sha256`; threat 34 of conformance/threats.toml.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from atip.bundles.install.archive_member import read_member
from atip.errors import AtipError, FetchError, TrustError
from atip.model.permissions.confinement import ANY_PROGRAM, MIB, Confinement, Limits
from atip.system.digests import sha256_hex
from atip.system.files import write_atomic
from atip.system.programs.processes import kill, spawn, wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.bundles.install.interface import Action, Site
    from atip.sandbox.running import RunningProcess

    Fetch = Callable[[str, int], bytes]
    """Address and greatest size → bytes. Raises FetchError."""

MAX_DOWNLOAD = 256 * 1024 * 1024
MANAGER_TIMEOUT_S = 1_800.0
SCRIPT_TIMEOUT_S = 600.0
LOG = "install.log"
MAX_LOG = 16 * 1024 * 1024


class InstallWorker:
    """Performs actions; holds fetched files in memory until they are used."""

    def __init__(
        self,
        fetch: Fetch,
        *,
        egress: tuple[str, ...] = (),
        start: Callable[..., RunningProcess] | None = None,
    ) -> None:
        """
        Args:
            egress: hosts that an installer script may reach: those of the bundle's sandbox.
        """
        self._fetch = fetch
        self._egress = egress
        self._start = start
        self._fetched: dict[str, bytes] = {}
        self.image_digest = ""
        """Of the image that was unpacked last."""

    def do(self, action: Action, site: Site) -> None:
        """Perform one action.

        Raises:
            AtipError: `install.manager-failed`, `install.script-failed`, `runner.image-failed`.
            TrustError: `trust.digest-mismatch`.
            FetchError, FormatError: from fetching and unpacking.
        """
        if action.kind == "run":
            self._run(action, site)
        elif action.kind == "fetch":
            self._fetched[action.sha256] = self._fetch_checked(action)
        elif action.kind == "unpack":
            self._unpack(action)
        elif action.kind == "script":
            self._script(action, site)
        elif action.kind == "image":
            from atip.bundles.images import unpack_image

            self.image_digest = unpack_image(action)

    def _fetch_checked(self, action: Action) -> bytes:
        data = self._fetch(action.url, MAX_DOWNLOAD)
        digest = sha256_hex(data)
        # SECURITY: nothing of it is written, unpacked or run before this.
        if digest != action.sha256:
            raise TrustError(
                "trust.digest-mismatch",
                f"`{action.url[:200]}` does not have the SHA-256 that the bundle declares",
                hint="do not use the file; report it to the bundle's author",
                details={"expected": action.sha256, "found": digest},
            )
        return data

    def _unpack(self, action: Action) -> None:
        content = read_member(self._fetched.pop(action.sha256), action.member)
        os.makedirs(os.path.dirname(action.path), mode=0o700, exist_ok=True)
        write_atomic(action.path, content, mode=0o700)

    def _run(self, action: Action, site: Site) -> None:
        environment = {**os.environ, **dict(action.env)}
        log = os.path.join(site.prefix, LOG)
        handle = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            code = _run_logged(action, environment, handle)
            if code != 0:
                log_tail = _tail(handle)
                ending = "timed out" if code is None else f"ended with {code}"
                raise AtipError(
                    "install.manager-failed",
                    f"`{os.path.basename(action.argv[0])}` {ending}: {log_tail}",
                    details={"argv": list(action.argv)},
                )
        except OSError as error:
            raise AtipError(
                "install.manager-failed", f"`{action.argv[0]}` could not be started: {error}"
            ) from error
        finally:
            os.close(handle)

    def _script(self, action: Action, site: Site) -> None:
        """Run an installer with `sh`: its home is our folder, and the user's files are not visible."""
        from atip.sandbox.run import RunRequest, start_confined
        from atip.sandbox.verified import seal

        path = os.path.join(site.prefix, "installer.sh")
        write_atomic(path, b"#!/bin/sh\n" + self._fetched.pop(action.sha256), mode=0o700)
        output: list[bytes] = []
        binary = seal(path)
        confinement = Confinement(
            fs_write=(f"{site.prefix}/**",),
            egress=self._egress,
            exec_allow=True,
            exec_spawn=(ANY_PROGRAM,),
            env_set=(("HOME", site.prefix), ("PREFIX", site.prefix), ("NO_COLOR", "1")),
            limits=Limits(
                wall_s=SCRIPT_TIMEOUT_S,
                memory_bytes=2048 * MIB,
                processes=256,
                file_bytes=1024 * MIB,
            ),
        )
        request = RunRequest(argv=("installer.sh",), binary=binary, cwd=site.prefix, caller_env={})
        try:
            running = (self._start or start_confined)(
                confinement, request, lambda _name, data: output.append(data[:4096])
            )
            outcome = running.wait()
        finally:
            binary.close()
        if outcome.exit_code != 0:
            text = b"".join(output[-8:]).decode("utf-8", "replace").strip().splitlines()
            last = text[-1][:200] if text else ""
            raise AtipError(
                "install.script-failed", f"the installer ended with {outcome.exit_code}: {last}"
            )
        os.unlink(path)


def _run_logged(action: Action, environment: dict[str, str], log: int) -> int | None:
    """Run a manager and log its output, up to MAX_LOG; None: killed after the timeout."""
    reader, writer = os.pipe()
    copying = threading.Thread(target=_copy, args=(reader, log), daemon=True)
    try:
        pid = spawn(action.argv, environment, stdout=writer, stderr=writer)
    except OSError:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    copying.start()
    code = wait(pid, MANAGER_TIMEOUT_S)
    if code is None:
        kill(pid)
        wait(pid)
    copying.join(1.0)  # a process that it left running may hold the pipe open
    return code


def _copy(reader: int, log: int) -> None:
    """Read everything, so that the writer never blocks; log at most MAX_LOG bytes."""
    remaining = MAX_LOG
    target = os.dup(log)
    try:
        while data := os.read(reader, 65536):
            remaining -= os.write(target, data[:remaining]) if remaining > 0 else 0
    finally:
        os.close(reader)
        os.close(target)


def _tail(handle: int) -> str:
    """The last lines of a log, on one line."""
    size = os.fstat(handle).st_size
    data = os.pread(handle, 2_000, max(0, size - 2_000)).decode("utf-8", "replace")
    lines = [line.strip() for line in data.splitlines() if line.strip()]
    return " / ".join(lines[-3:])[:400] or "no output"


def fetch_with(access: object = None, *, offline: bool = False) -> Fetch:
    """Return a function that downloads through the HTTP client.

    Args:
        access: `system.network.http_addresses.Access` for origins that the user configured as private; None: public ones.
    """

    def fetch(url: str, max_bytes: int) -> bytes:
        from atip.system.network.http import HttpClient, HttpLimits

        limits = HttpLimits(max_bytes=max_bytes, deadline_s=300.0)
        options = {} if access is None else {"access": access}
        with HttpClient(offline=offline, **options) as client:  # type: ignore[arg-type]
            response = client.get(url, limits=limits)
        if response.status != 200:
            raise FetchError("http.status", f"`{url[:200]}` answered {response.status}")
        return response.body

    return fetch
