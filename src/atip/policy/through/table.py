"""Table: which project files a command reads its lines from, and the reader of each. Pure."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Source(Value):
    """Where lines come from."""

    files: tuple[str, ...]
    """Relative to the folder of the line; the first that exists counts."""
    reader: str
    """`module.function` of this package."""
    searches_up: bool = False
    """Whether the tool looks in the folders above as well."""

    def read(self, text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
        """The lines that a command runs; None: the reader gives up."""
        import importlib  # a hook imports the readers that it needs

        module, _, name = self.reader.partition(".")
        found: tuple[str, ...] | None = getattr(
            importlib.import_module(f"{__package__}.{module}"), name
        )(text, argv)
        return found


_PACKAGE = Source(files=("package.json",), reader="package_scripts.package_lines", searches_up=True)
_SOURCES: dict[str, Source] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _PACKAGE),
    "composer": Source(files=("composer.json",), reader="package_scripts.composer_lines"),
    **dict.fromkeys(
        ("make", "gmake"),
        Source(files=("GNUmakefile", "makefile", "Makefile"), reader="makefile.make_lines"),
    ),
    "just": Source(
        files=("justfile", "Justfile", ".justfile"),
        reader="task_tables.just_lines",
        searches_up=True,
    ),
    "task": Source(
        files=("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"), reader="task_tables.taskfile_lines"
    ),
    "tox": Source(files=("tox.ini",), reader="task_tables.tox_lines"),
    "nox": Source(files=("noxfile.py",), reader="nox_sessions.nox_lines"),
    "poe": Source(files=("pyproject.toml",), reader="task_tables.poe_lines"),
    "cargo": Source(
        files=(".cargo/config.toml", ".cargo/config"),
        reader="task_tables.cargo_lines",
        searches_up=True,
    ),
    "direnv": Source(files=(".envrc",), reader="shell_files.told_lines", searches_up=True),
}
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "source", "."))


def source_of(argv: Sequence[str]) -> Source | None:
    """Where a command gets further lines from; None: its words say everything, or it is not known."""
    if not argv:
        return None
    name = argv[0].rpartition("/")[2]
    if name in _SHELLS and len(argv) > 1 and not argv[1].startswith("-"):
        return Source(files=(argv[1],), reader="shell_files.told_lines")
    if argv[0].startswith(("./", "../", "/")):
        return Source(files=(argv[0],), reader="shell_files.script_lines")
    return _SOURCES.get(name)
