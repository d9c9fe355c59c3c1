"""Settings of a project that name code: plug-ins of checkers, programs that replace the one called. Pure.

Each reader returns the files of the workspace that the program would load, as lines (`./plugin.py`); they are judged like
any program of the workspace. Settings that a reader does not recognize are skipped: the program's own effects still count.
"""

from __future__ import annotations

import json

from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MYPY_PLUGINS = LazyRegex(r"(?m)^[ \t]*plugins[ \t]*=[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]*)*)")
_PYTHON_FILE = LazyRegex(r"[^\s,\"'\[\]]+\.py\b")
_LOCAL_PLUGINS = LazyRegex(r"(?ms)^\[flake8:local-plugins\]\s*$(.*?)(?=^\[|\Z)")
_ENTRY = LazyRegex(r"=\s*([A-Za-z_][\w.]*)\s*:")
_YARN_PATH = LazyRegex(r"(?m)^[ \t]*yarn-?[pP]ath[:\s]\s*[\"']?([^\s\"']+)")
_TOOLCHAIN = LazyRegex(r"(?m)^[ \t]*path[ \t]*=[ \t]*[\"']([^\"']+)")
_SCRIPTS = LazyRegex(r"(?m)^[ \t]*script_location[ \t]*=[ \t]*(\S+)")
_JVM_CODE = LazyRegex(r"(?m)-(?:javaagent|agentpath|agentlib)[:=]|-XX:On|^[ \t]*@")
_GEMFILE_FREE = frozenset(("config", "version", "help", "--version", "-v", "--help", "-h"))


def mypy_plugins(text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Plug-ins that are files; those named as modules come from installed packages."""
    return tuple(
        _call(path) for value in _MYPY_PLUGINS.findall(text) for path in _PYTHON_FILE.findall(value)
    )


def flake8_plugins(text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Plug-ins that flake8 imports from the project."""
    return tuple(
        _call(f"{module.replace('.', '/')}.py")
        for section in _LOCAL_PLUGINS.findall(text)
        for module in _ENTRY.findall(section)
    )


def yarn_release(text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """The release of yarn in the repository, which the installed one hands every command to."""
    return tuple(_call(path) for path in _YARN_PATH.findall(text))


def rust_toolchain(text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """A toolchain at a path: rustup starts its programs instead of the installed ones."""
    return tuple(_call(f"{path}/bin") for path in _TOOLCHAIN.findall(text))


def alembic_scripts(text: str, argv: Sequence[str]) -> tuple[str, ...]:
    """Migrations are Python modules; every command that reads them imports them."""
    if "list_templates" in argv:
        return ()
    return tuple(_call(f"{path}/versions") for path in _SCRIPTS.findall(text))


def jvm_agents(text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Options of the virtual machine that load code, from a file that `mvn` reads before anything else."""
    return ("./.mvn/jvm.config",) if _JVM_CODE.search(text) else ()


def composer_plugins(text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Plug-ins that the project lets composer load from `vendor`."""
    try:
        document = json.loads(text)
        allowed = document["config"]["allow-plugins"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
    if allowed is True:
        return ("./vendor",)
    names = allowed.items() if isinstance(allowed, dict) else ()
    return tuple(_call(f"vendor/{name}") for name, value in names if value)


def gemfile(_text: str, argv: Sequence[str]) -> tuple[str, ...]:
    """A Gemfile is a Ruby program that bundler runs to read it."""
    return () if len(argv) > 1 and argv[1] in _GEMFILE_FREE else ("./Gemfile",)


def jest_settings(_text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Settings of jest are a module."""
    return ("./jest.config",)


def mix_project(_text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """A project of mix is an Elixir script."""
    return ("./mix.exs",)


def test_files(_text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Lists of tests are CMake scripts."""
    return ("./CTestTestfile.cmake",)


def django_project(_text: str, _argv: Sequence[str]) -> tuple[str, ...]:
    """Settings and apps of the project are imported by every command."""
    return ("./manage.py",)


def terraform_providers(_text: str, argv: Sequence[str]) -> tuple[str, ...]:
    """Providers lie below the workspace, and `validate` starts them."""
    return ("./.terraform/providers",) if "validate" in argv else ()


def _call(path: str) -> str:
    """The line that would start a file of the workspace."""
    import shlex

    plain = path.removeprefix("./")
    return shlex.quote(plain if plain.startswith(("/", "~")) else f"./{plain}")
