"""Project code: whether a command runs what lies in the workspace – tests, build files, scripts, plug-ins. Pure.

A confined line can write what a later line runs. So a command that runs files of the workspace is at most confined, whatever allows it;
only a rule with `unsafeUnconfined` lets it run unconfined (`policy.decide`).
"""

from __future__ import annotations

from atip.policy.command_context import danger_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.policy.command_context import CommandContext

_CATEGORIES = frozenset(("build", "development", "language", "packages", "shell"))
"""Of curated knowledge: programs that run code from their arguments or from the current folder."""
_PROJECTS = frozenset(
    (
        *(
            "npm",
            "npx",
            "pnpm",
            "pnpx",
            "yarn",
            "bun",
            "bunx",
            "pip",
            "pip3",
            "pipenv",
            "uv",
            "uvx",
        ),
        *("poetry", "pdm", "hatch", "rye", "pixi", "bundle", "composer", "mix", "rebar3", "cabal"),
        *("stack", "dart", "flutter", "swift", "dune", "conan", "cargo", "go", "dotnet", "bazel"),
        *("gradle", "mvn", "sbt", "lein", "meson", "ninja", "cmake", "zig", "pre-commit"),
    )
)
"""Managers and builders of projects: they run scripts of the project, or of what it depends on, also where nothing else is unknown."""
_PLUG_INS = frozenset(("eslint", "prettier", "stylelint", "pylint", "rubocop"))
"""Checkers that load code named in the project's settings."""


def runs_project_code(subject: CommandContext) -> bool:
    """Whether a call may run files of the workspace. Unknown programs may."""
    if not subject.argv or subject.evidence == "shell" or subject.is_operation:
        return False
    if subject.metadata is None:
        return True
    if subject.tool in _PLUG_INS:
        return danger_of(subject, "filesystem.read") is not False
    if danger_of(subject, "subprocess") is False:
        return False
    if subject.tool in _PROJECTS:
        return True
    # what it runs is not among the commands of the line, so its effects are unknown
    is_code = danger_of(subject, "destructive") is not False
    return is_code and subject.metadata.own.get("category") in _CATEGORIES
