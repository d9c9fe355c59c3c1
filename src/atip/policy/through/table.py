"""Table: which project files a command reads its lines from, and the reader of each. Pure."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Source(Value):
    """Files of a tool that hold the lines it runs, and the function that reads them."""

    files: tuple[str, ...]
    """Relative to the folder of the line; the first that exists counts."""
    reader: str
    """`module.function` of this package."""
    searches_up: bool = False
    """Whether the tool looks in the folders above as well."""
    names_code: bool = False
    """Whether it names code that is loaded, not lines: then every file counts, not only the first."""

    def read(self, text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
        """The lines that a command runs; None: cannot be determined."""
        import importlib  # a hook imports the readers that it needs

        module, _, name = self.reader.partition(".")
        lines: tuple[str, ...] | None = getattr(
            importlib.import_module(f"{__package__}.{module}"), name
        )(text, argv)
        return lines


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
    "direnv": Source(files=(".envrc",), reader="shell_files.whole_file", searches_up=True),
}


def _code(reader: str, *files: str, up: bool = True) -> Source:
    return Source(files=files, reader=f"settings_code.{reader}", searches_up=up, names_code=True)


_TOOLCHAIN = _code("rust_toolchain", "rust-toolchain.toml", "rust-toolchain")
_MYPY = _code("mypy_plugins", "mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg", up=False)
_GEMFILE = _code("gemfile", "Gemfile", "gems.rb")
_DJANGO = _code("django_project", "manage.py", up=False)
_PROVIDERS = _code("terraform_providers", ".terraform.lock.hcl", up=False)
_JEST = _code("jest_settings", *(f"jest.config.{end}" for end in ("js", "ts", "mjs", "cjs", "mts")))
_CODE: dict[str, Source] = {
    **dict.fromkeys(("mypy", "dmypy"), _MYPY),
    "flake8": _code("flake8_plugins", ".flake8", "setup.cfg", "tox.ini", up=False),
    **dict.fromkeys(("yarn", "yarnpkg"), _code("yarn_release", ".yarnrc.yml", ".yarnrc")),
    **dict.fromkeys(("cargo", "rustc", "rustfmt", "rustdoc", "cargo-clippy"), _TOOLCHAIN),
    "alembic": _code("alembic_scripts", "alembic.ini", up=False),
    **dict.fromkeys(("mvn", "mvnw"), _code("jvm_agents", ".mvn/jvm.config")),
    "composer": _code("composer_plugins", "composer.json", up=False),
    **dict.fromkeys(("bundle", "bundler"), _GEMFILE),
    "jest": _JEST,
    "mix": _code("mix_project", "mix.exs", up=False),
    "ctest": _code("test_files", "CTestTestfile.cmake", up=False),
    "django-admin": _DJANGO,
    **dict.fromkeys(("terraform", "tofu"), _PROVIDERS),
}
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "source", "."))


def source_of(argv: Sequence[str]) -> Source | None:
    """File from which a command reads further lines; None: it reads none, or is unknown."""
    if not argv:
        return None
    name = argv[0].rpartition("/")[2]
    if name in _SHELLS and len(argv) > 1 and not argv[1].startswith("-"):
        return Source(files=(argv[1],), reader="shell_files.whole_file")
    if argv[0].startswith(("./", "../", "/")):
        return Source(files=(argv[0],), reader="shell_files.script_lines")
    return _SOURCES.get(name)


def code_source_of(argv: Sequence[str]) -> Source | None:
    """Settings of the project that name code which a command loads, also where it only reads."""
    return _CODE.get(argv[0].rpartition("/")[2]) if argv else None
