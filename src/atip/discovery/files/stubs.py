"""Stubs: small scripts that only start something else, followed as text, never executed.

Python console scripts → the module they import; `#!` scripts → their interpreter; shell wrappers →
the path they `exec`; links into a Node package → its sources. The files named here are read for the
marks of a native tool, and show inference which framework to query.
"""

from __future__ import annotations

import functools
import itertools
import os

from atip.discovery.files.content import HEAD
from atip.model.text.regex import late_regex
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_STUB = 64 * 1024
MAX_SOURCES = 300
_ENTRY = late_regex(r"(?m)^from ([A-Za-z_][\w.]{0,200}) import ([A-Za-z_]\w{0,100})")

_EXEC = late_regex(r"""(?m)^\s*exec\s+(?:-a\s+\S+\s+)?["']?(/[^\s"'$]{1,300})""")

_BESIDE = r"""\$\(dirname (?:-- )?"?\$0"?\)|\$\{0%/\*\}"""
"""The folder of the script itself, as shells write it."""
_HANDS_ON = late_regex(
    rf"""(?m)^\s*(?:exec\s+(?:-a\s+\S+\s+)?)?["']?({_BESIDE})?(/[^\s"'$]{{1,300}})["']?\s+(?:[^\n|;&]*\s)?"?\$@"?\s*$"""
)
"""A line that starts another program with all arguments: by its path, or beside the script."""

_SHIM = late_regex(r"(.*/\.?(pyenv|rbenv|nodenv|goenv|phpenv|jenv))/shims/([^/]+)\Z")


class Stub(Value):
    """The program that a script starts."""

    interpreter: str | None = None
    """Absolute path of the `#!` interpreter."""
    language: str | None = None
    """`python`, `node`, `shell`, `perl`, `ruby` …; None for a binary."""
    module: str | None = None
    """Python module of a console script."""
    attribute: str | None = None
    """Function of that module."""
    target: str | None = None
    """File that a shell wrapper executes."""
    command: str | None = None
    """Subcommand that a shell wrapper adds: `mapBed` is `bedtools map`, and not `bedtools`."""


_LANGUAGES = (
    ("python", "python"),
    ("node", "node"),
    ("nodejs", "node"),
    ("bash", "shell"),
    ("dash", "shell"),
    ("zsh", "shell"),
    ("sh", "shell"),
    ("perl", "perl"),
    ("ruby", "ruby"),
)


NO_SCRIPT = Stub()


def parse_stub(path: str, head: bytes, script: bytes | None = None) -> Stub:
    """Read a script as text. A file that is not a script gives an empty Stub.

    Args:
        script: the first MAX_STUB bytes, if they were read already.
    """
    if not head.startswith(b"#!"):
        return NO_SCRIPT
    script_stub = _parse_shebang(head[2:].split(b"\n", 1)[0])
    interpreter, language = script_stub.interpreter, script_stub.language
    text = _text(path) if script is None else script.decode("utf-8", "replace")
    if language == "python":
        for entry in _ENTRY.finditer(text):
            if entry[1] != "__future__" and not entry[1].startswith("importlib"):
                return Stub(
                    interpreter=interpreter, language=language, module=entry[1], attribute=entry[2]
                )
    if language == "shell":
        managed = managed_target(path)
        if managed:
            return Stub(interpreter=interpreter, language=language, target=managed)
        target, command = _shell_target(path, text)
        return script_stub.replace(target=target, command=command) if target else script_stub
    return script_stub


def _shell_target(path: str, text: str) -> tuple[str, str | None]:
    """The program that a wrapper hands its arguments to, and the subcommand that it adds; empty: it does work of its own."""
    if "exec" in text and (match := _EXEC.search(text)):
        return match[1], _subcommand(text[match.end() :])
    match = _HANDS_ON.search(text) if "$@" in text else None
    if match is None:
        return "", None
    start = os.path.dirname(os.path.abspath(path)) if match[1] else ""
    return os.path.normpath(start + match[2]), _subcommand(text[match.end(2) :])


def _subcommand(rest: str) -> str | None:
    """The bare word behind a program, if there is one."""
    words = rest.partition("\n")[0].lstrip("\"'").split()
    first = words[0] if words else ""
    return first if first[:1].isalpha() and first.replace("-", "").isalnum() else None


_ALTERNATIVES = "/etc/alternatives/"


def alternative_of(path: str) -> str:
    """The name of the program that the system's administrator chose for a generic one (`arptables-save` →
    `arptables-nft-save`), which has the manual; empty for any other file."""
    try:
        link = os.readlink(path)
        name = os.path.basename(os.readlink(link)) if link.startswith(_ALTERNATIVES) else ""
    except OSError:
        return ""
    return name if name != os.path.basename(path) else ""


def managed_target(path: str) -> str | None:
    """The target of a version manager's shim (`~/.pyenv/shims/x`), from its files, without running it."""
    return next(
        (managed_path for managed_path in _managed_files(path) if os.path.isfile(managed_path)),
        None,
    )


def is_absent_version(path: str) -> bool:
    """Whether a version manager's shim stands for a program that none of the active versions has."""
    candidates = _managed_files(path)
    return bool(candidates) and not any(os.path.isfile(candidate) for candidate in candidates)


def _managed_files(path: str) -> list[str]:
    """Candidate paths of a program in the active versions of a version manager; empty for any other file."""
    match = _SHIM.search(path) if "/shims/" in path else None
    if not match:
        return []
    try:
        with open(os.path.join(match[1], "version"), "rb") as file:
            active = file.read(200).decode("utf-8", "replace").split()
    except OSError:
        return []
    return [
        os.path.join(match[1], "versions", name, "bin", match[3])
        for name in active
        if name != "system"
    ]


def sources(path: str, stub: Stub) -> Iterator[str]:
    """Files behind a stub that could hold the marks of a native tool. Bounded."""
    return itertools.islice(_sources(path, stub), MAX_SOURCES)


def _sources(path: str, stub: Stub) -> Iterator[str]:
    import glob

    if stub.language == "python" and stub.module:
        package = stub.module.split(".")[0]
        for site in site_directories(path, stub):
            folder = os.path.join(site, package)
            if os.path.isdir(folder):
                yield from sorted(glob.iglob(f"{glob.escape(folder)}/**/*.py", recursive=True))
                return
            if os.path.isfile(f"{folder}.py"):
                yield f"{folder}.py"
                return
    elif stub.target:
        yield stub.target
    elif stub.language == "node":
        folder = os.path.dirname(os.path.realpath(path))
        yield from sorted(glob.iglob(f"{glob.escape(folder)}/*.js"))
        package = glob.escape(os.path.dirname(folder))
        for sources_folder in ("dist", "lib", "src"):  # `glob` does not support braces
            yield from sorted(glob.iglob(f"{package}/{sources_folder}/*.js"))


def site_directories(path: str, stub: Stub) -> list[str]:
    """Existing package directories of a console script's interpreter, from paths alone; longest prefix first."""
    import glob

    prefixes = {os.path.dirname(os.path.dirname(os.path.abspath(path)))}
    if stub.interpreter:
        prefixes.add(os.path.dirname(os.path.dirname(stub.interpreter)))
        prefixes.add(os.path.dirname(os.path.dirname(os.path.realpath(stub.interpreter))))
    directories: list[str] = []
    for prefix in sorted(prefixes, key=len, reverse=True):
        for pattern in (
            "lib/python3*/site-packages",
            "lib/python3/dist-packages",
            "local/lib/python3*/dist-packages",
        ):
            directories.extend(sorted(glob.glob(os.path.join(glob.escape(prefix), pattern))))
    return directories


def head_of(path: str) -> bytes:
    """The first bytes of a file; empty when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(HEAD)
    except OSError:
        return b""


@functools.lru_cache(maxsize=256)
def _parse_shebang(line: bytes) -> Stub:
    """Parse the `#!` line alone; cached, as a machine has few different ones."""
    interpreter = _interpreter(line)
    return Stub(interpreter=interpreter, language=_language(interpreter))


def _interpreter(line: bytes) -> str | None:
    words = line.decode("utf-8", "replace").split()
    if not words:
        return None
    if os.path.basename(words[0]) == "env":
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return names[0] if names else None
    return words[0]


def _language(interpreter: str | None) -> str | None:
    name = os.path.basename(interpreter or "")
    for prefix, language in _LANGUAGES:
        if name.startswith(prefix):
            return language
    return None


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(MAX_STUB).decode("utf-8", "replace")
    except OSError:
        return ""


def _paths_behind(target: str) -> list[str]:
    """Paths that the script behind a wrapper needs; wrappers of wrappers are not followed."""
    stub = parse_stub(target, head_of(target))
    return [] if stub.target else needed_paths(target, stub)


def needed_paths(path: str, stub: Stub) -> list[str]:
    """Paths that a sandbox must show besides the script itself: the interpreter, its libraries, the
    environment's own settings, and sources that an editable install points to."""
    paths = [stub.target, *_paths_behind(stub.target)] if stub.target else []
    interpreter = stub.interpreter
    if stub.language == "node":
        folder, separator, _ = os.path.realpath(path).partition("/node_modules/")
        # Packages need each other: the outermost folder of packages, not its parent.
        return [*paths, f"{folder}/node_modules"] if separator else paths
    if stub.language != "python" or not interpreter or not os.path.isabs(interpreter):
        return paths
    for program in (interpreter, os.path.realpath(interpreter)):
        prefix = os.path.dirname(os.path.dirname(program))
        paths += [
            os.path.dirname(program),
            os.path.join(prefix, "lib"),
            os.path.join(prefix, "pyvenv.cfg"),
        ]
    import glob

    for site in site_directories(path, stub):
        paths.append(site)
        for pointer in glob.iglob(os.path.join(glob.escape(site), "*.pth")):
            lines = _text(pointer).splitlines()
            paths += [line for line in lines if os.path.isabs(line) and os.path.isdir(line)]
    return [candidate for candidate in paths if os.path.exists(candidate)]
