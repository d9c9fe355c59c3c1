"""`runner.image`: the system that a bundle's program runs on, taken out of a container image.

    runtime = find_runtime(shutil.which)
    plan = plan_image("registry.example/demo:1", site, runtime)

A container runtime (podman, else docker) is used for one thing: to get the files of an image. They are unpacked once, by
our own extractor, and replace this host's system in the sandbox of the program, which is that of every other program:
its limits, network and mounts do not change, and no container is ever started. Without a runtime the bundle is refused;
it is never run on the host's system instead. Implements AIP-17 `image`, AIP-29 `runner`; RESOLUTIONS P4.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, refused_plan
from atip.errors import AtipError, ExecutionError
from atip.model.value import Value
from atip.sandbox.bubblewrap.system_view import placeholder_files
from atip.sandbox.verified import find_in, real_in
from atip.system.archives.unpack import MAX_TOTAL, open_to_sandbox, unpack
from atip.system.files import read_bytes
from atip.system.programs.captured import capture

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.install.interface import Site

METHOD = "image"
RUNTIMES = ("podman", "docker")
ROOT = "root"
"""Folder of an install that becomes `/` of the image."""
_ANSWER_S, _WORK_S = 20.0, 600.0
_MAX_ANSWER = 1_000_000
_NAME = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]{0,254}\Z")
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})\Z")
_CONTAINER = re.compile(r"[0-9a-f]{12,64}\Z")
_HINT = "install podman (or start docker's service), then run `atip bundle install` again"


class Runtime(Value):
    """A working container runtime."""

    name: str
    program: str


def image_of(bundle: Bundle) -> str:
    """The image that a bundle's program runs on; empty: the host's system."""
    return str(bundle.runner.get("image") or "")


def is_image_name(value: object) -> bool:
    """Whether a value of `runner.image` is safe as an argument of a runtime."""
    # SECURITY: a name that begins with a dash would be an option of the runtime.
    return isinstance(value, str) and bool(_NAME.match(value))


def find_runtime(find: Callable[[str], str | None]) -> Runtime:
    """The first container runtime that is installed and works.

    Raises:
        AtipError: `runner.no-runtime`.
    """
    failing = []
    for name in RUNTIMES:
        program = find(name)
        if program is None:
            continue
        try:
            listing = capture(
                [program, "image", "ls", "-q"], timeout_s=_ANSWER_S, max_bytes=_MAX_ANSWER
            )
            if listing.exit_code == 0:
                return Runtime(name=name, program=program)
        except ExecutionError:
            pass
        failing.append(name)
    reason = f"`{'` and `'.join(failing)}` does not respond" if failing else "neither is installed"
    raise AtipError(
        "runner.no-runtime",
        f"the bundle runs on a container image, which needs podman or docker: {reason}",
        hint=_HINT,
    )


def plan_image(image: str, site: Site, find: Callable[[str], str | None]) -> InstallPlan:
    """Plan how to get the files of an image; queries the runtime whether it already has the image."""
    try:
        runtime = find_runtime(find)
        digest = find_digest(runtime, image)
    except AtipError as error:
        return refused_plan(METHOD, error.message, error.hint)
    root = os.path.join(site.prefix, ROOT)
    pull = Action(kind="run", argv=(runtime.program, "pull", "--quiet", image))
    take = Action(kind=METHOD, argv=(runtime.program, image), sha256=digest, path=root)
    notes = [
        "the program runs on the image's system in this host's sandbox; no container is started"
    ]
    if "@sha256:" not in image:
        notes.append("the image has no digest: the version unpacked now is kept")
    return InstallPlan(
        method=METHOD, actions=(take,) if digest else (pull, take), root=root, notes=tuple(notes)
    )


def find_digest(runtime: Runtime, image: str) -> str:
    """Digest of an image that the runtime has; empty: the runtime does not have it."""
    inspection = capture(
        [runtime.program, "image", "inspect", "--format", "{{.Id}}", image],
        timeout_s=_ANSWER_S, max_bytes=_MAX_ANSWER,
    )  # fmt: skip
    match = _DIGEST.match(inspection.stdout.decode("utf-8", "replace").strip())
    return f"sha256:{match[1]}" if inspection.exit_code == 0 and match else ""


def unpack_image(action: Action) -> str:
    """Unpack the files of an image below `action.path`; returns its digest.

    Raises:
        AtipError: `runner.image-failed`, when a command of the runtime fails.
        FormatError: `archive.*`, `format.*`: the files are refused; nothing stays.
    """
    program, image = action.argv
    runtime = Runtime(name=os.path.basename(program), program=program)
    digest = action.sha256 or find_digest(runtime, image)
    if not digest:
        raise _pull_error(runtime, "image inspect", image)
    # by digest: the name may refer to another image by now
    output = _run_runtime(runtime, image, "create", "--pull=never", digest, "/nothing").split()
    container = output[-1] if output else ""
    if not _CONTAINER.match(container):
        raise _pull_error(runtime, "create", image)
    archive = f"{action.path}.tar"
    try:
        _run_runtime(runtime, image, "export", "-o", archive, container)
        unpack(read_bytes(archive, MAX_TOTAL), action.path, unix=True)
    finally:
        _run_runtime(runtime, image, "rm", "-v", container)
        if os.path.exists(archive):
            os.unlink(archive)
    _make_places(action.path)
    open_to_sandbox(action.path)
    return digest


def find_program(root: str, bin: str) -> str | None:
    """The bundle's program in an unpacked image, as a path of this host."""
    real = os.path.realpath(root)
    path_in_image = (
        real_in(real, bin) if os.path.isabs(bin) else find_in(real, os.path.basename(bin))
    )
    return f"{real}{path_in_image}" if path_in_image else None


def _make_places(root: str) -> None:
    """Create the files that every sandbox mounts over: a mount needs an existing target."""
    for path in placeholder_files("/"):
        place = f"{root}{path}"
        if os.path.islink(place):
            os.unlink(place)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "ab"):
            pass


def _run_runtime(runtime: Runtime, image: str, *words: str) -> str:
    output = capture([runtime.program, *words], timeout_s=_WORK_S, max_bytes=_MAX_ANSWER)
    if output.exit_code != 0:
        raise _pull_error(runtime, words[0], image)
    return output.stdout.decode("utf-8", "replace")


def _pull_error(runtime: Runtime, verb: str, image: str) -> AtipError:
    return AtipError(
        "runner.image-failed",
        f"`{runtime.name} {verb}` failed for the image `{image[:120]}`",
        hint=f"nothing was installed; run `{runtime.name} {verb}` to see its error",
    )
