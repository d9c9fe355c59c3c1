"""Scripts of `package.json` and `composer.json`. Pure."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHORT = frozenset(("test", "start", "stop", "restart"))
_RUN = frozenset(("run", "run-script", "rum", "urn"))
_INSTALL = frozenset(("install", "i", "ci", "add", "clean-install"))
_LIFECYCLE = ("preinstall", "install", "postinstall", "prepublish", "prepare")
_BARE = frozenset(("yarn", "pnpm", "bun"))
"""Managers that run a script of any name without `run`."""


def package_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """The lines that `npm|pnpm|yarn|bun …` runs, in their order; None: the file cannot be read.

    Scripts of installed packages are not among them: only the sandbox settles those.
    """
    scripts = _scripts(text)
    if scripts is None:
        return None
    words = [word for word in argv[1:] if not word.startswith("-")]
    verb = words[0] if words else "install"
    if verb in _INSTALL and (verb not in scripts or argv[0] not in _BARE):
        return tuple(scripts[name] for name in _LIFECYCLE if name in scripts)
    name = words[1] if verb in _RUN and len(words) > 1 else verb
    is_script = verb in _RUN or verb in _SHORT or (argv[0] in _BARE and name in scripts)
    lines = [scripts[item] for item in (f"pre{name}", name, f"post{name}") if item in scripts]
    return tuple(lines) if is_script else ()


def composer_lines(text: str, argv: Sequence[str]) -> tuple[str, ...] | None:
    """The lines that `composer run-script X` and `composer X` run."""
    scripts = _scripts(text, several=True)
    if scripts is None:
        return None
    words = [word for word in argv[1:] if not word.startswith("-")]
    name = words[1] if len(words) > 1 and words[0] in ("run", "run-script") else "".join(words[:1])
    if name in ("install", "update"):
        hooks = (f"pre-{name}-cmd", f"post-{name}-cmd", "post-autoload-dump")
        return tuple(line for hook in hooks for line in scripts.get(hook, "").splitlines())
    return tuple(scripts.get(name, "").splitlines())


def _scripts(text: str, *, several: bool = False) -> dict[str, str] | None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    scripts = document.get("scripts", {}) if isinstance(document, dict) else None
    if not isinstance(scripts, dict):
        return None
    if several:
        scripts = {
            name: "\n".join(value) if _is_texts(value) else value for name, value in scripts.items()
        }
    return scripts if all(isinstance(script, str) for script in scripts.values()) else None


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
