"""Modules that Python looks for in the folder of a line (`python -c`, `python -m`) before its own library. Pure."""

from __future__ import annotations

from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_IMPORT = LazyRegex(r"\b(?:import|from)\s+([A-Za-z_][\w, ]*)")
_ISOLATED = frozenset("IP")
MAX_SHADOWS = 8


def is_python(program: str) -> bool:
    """Whether a program is Python, by its name; quick, since it runs for every line."""
    return program.rpartition("/")[2].rstrip("0123456789.") == "python"


def imported_names(argv: Sequence[str]) -> frozenset[str] | None:
    """Names that the code or module of a call imports; None: the current folder is not searched."""
    if not argv or not is_python(argv[0]):
        return None
    for at, word in enumerate(argv[1:], 1):
        if argv[at - 1] in ("-X", "-W") or word in ("-X", "-W") or word.startswith("--"):
            continue
        if not word.startswith("-"):
            return None  # a script: its own folder is searched, and it is a file that runs
        letters = word[1:]
        if _ISOLATED & set(letters.partition("c")[0].partition("m")[0]):
            return None
        for letter, what in (("c", _imported_modules), ("m", _module)):
            if letter in letters:
                rest = letters.partition(letter)[2] or "".join(argv[at + 1 : at + 2])
                return what(rest)
    return None


def _imported_modules(code: str) -> frozenset[str]:
    names = (name for each in _IMPORT.findall(code) for name in each.replace(",", " ").split())
    return frozenset(name.partition(".")[0] for name in names)


def _module(name: str) -> frozenset[str]:
    return frozenset((name.partition(".")[0],))


def shadowing(
    imported: frozenset[str],
    entries: Iterable[str],
    is_package: Callable[[str], bool],
    library: frozenset[str],
) -> tuple[str, ...]:
    """Entries of a folder that shadow an imported module or a module of the standard library.

    Args:
        library: names of the modules of Python's own library.
    """
    entries_found = []
    for name in entries:
        stem, dot, _rest = name.partition(".")
        if stem not in imported and stem not in library:
            continue
        # a folder that is not a package is found after the library, but still before nothing
        if name.endswith((".py", ".pyc", ".so")) if dot else stem in imported or is_package(name):
            entries_found.append(f"./{name}")
    return tuple(sorted(entries_found)[:MAX_SHADOWS])
