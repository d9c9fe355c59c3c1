"""Which rules apply and how strictly: presets and config documents.

`{"extends": "recommended", "rules": {"rule": "off" | "info" | "warn" | "error" | ["error", {options}]}}`;
the numbers 0, 1, 2 stand for off, warn, error. A config that cannot be understood stops the run:
a misspelt rule would silently check nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.lint.rules.table import PRESETS, RULES
from atip.model.problems import Problem, render_path
from atip.model.shapes.shape import closest, name_of
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.problems import Severity

    Setting = tuple[Severity | None, Mapping[str, Any]]

LEVELS: dict[object, Severity | None] = {
    "off": None,
    "info": "info",
    "warn": "warning",
    "warning": "warning",
    "error": "error",
}
_NUMBERS: dict[int, Severity | None] = {0: None, 1: "warning", 2: "error"}
_NOTHING: Mapping[str, Any] = {}


class LintConfig(Value):
    """A preset and what differs from it."""

    preset: str = "recommended"
    rules: Mapping[str, Setting] = {}

    def setting_of(self, rule: str) -> Setting:
        """Severity (None: off) and complete options of one rule."""
        row = RULES[rule]
        options = dict(row.options)
        if self.preset == "strict":
            options.update(row.strict_options)
        severity: Any = row.levels[PRESETS.index(self.preset)]
        if rule in self.rules:
            severity, given = self.rules[rule]
            options.update(given)
        return severity, options


MINIMAL = LintConfig(preset="minimal")
RECOMMENDED = LintConfig(preset="recommended")
STRICT = LintConfig(preset="strict")


def preset(name: str) -> LintConfig:
    """A preset by name.

    Raises:
        FormatError: `lint.preset`.
    """
    return decode_config({"extends": name})


def decode_config(document: object) -> LintConfig:
    """A config document → LintConfig.

    Raises:
        FormatError: `lint.config` with every problem: `lint.preset`, `lint.unknown-rule`,
            `lint.severity`, `lint.options`, `lint.unknown-option`, `lint.unknown-setting`.
    """
    problems: list[Problem] = []
    if not isinstance(document, dict):
        problems.append(_problem((), "lint.config", f"expected an object, not {name_of(document)}"))
        document = {}
    for key in document:
        if key not in ("extends", "rules") and key[:1] != "$":
            hint = _near(key, ("extends", "rules"))
            problems.append(
                _problem((key,), "lint.unknown-setting", f"`{key}` is not a setting", hint)
            )
    base = _extends(document.get("extends", "recommended"), problems)
    rules = document.get("rules", {})
    if not isinstance(rules, dict):
        problems.append(_problem(("rules",), "lint.config", "`rules` must be an object"))
        rules = {}
    settings: dict[str, Setting] = {}
    for name, given in rules.items():
        setting = _setting(name, given, problems)
        if setting is not None:
            settings[name] = setting
    if problems:
        first = problems[0]
        raise FormatError(
            "lint.config", f"{first.path}: {first.message}", problems=problems, hint=first.hint
        )
    return LintConfig(preset=base, rules=settings)


def with_rule(config: LintConfig, text: str) -> LintConfig:
    """One `rule=severity` from a command line on top of a config.

    Raises:
        FormatError: as `decode_config`.
    """
    name, _, level = text.replace(":", "=", 1).partition("=")
    given = decode_config({"rules": {name: level or "error"}})
    return config.replace(rules={**config.rules, **given.rules})


def _extends(given: object, problems: list[Problem]) -> str:
    """One preset or a list of them, of which the last counts."""
    names = given if isinstance(given, list) else [given]
    for name in names:
        if name not in PRESETS:
            problems.append(
                _problem(
                    ("extends",),
                    "lint.preset",
                    f"no preset `{str(name)[:40]}`",
                    _near(str(name), PRESETS) or "presets: " + ", ".join(PRESETS),
                )
            )
    return names[-1] if names and names[-1] in PRESETS else "recommended"


def _setting(name: str, given: object, problems: list[Problem]) -> Setting | None:
    path = ("rules", name)
    if name not in RULES:
        hint = _near(name, RULES) or "see `atip lint --rules`"
        problems.append(_problem(path, "lint.unknown-rule", f"no rule `{name[:60]}`", hint))
        return None
    level, options = given, _NOTHING
    if isinstance(given, list):
        if not 1 <= len(given) <= 2:
            problems.append(
                _problem(path, "lint.severity", "expected [severity] or [severity, options]")
            )
            return None
        level = given[0]
        if len(given) == 2:
            options = _options(name, given[1], problems)
    known = (
        _NUMBERS.get(level, level)
        if type(level) is int
        else LEVELS.get(level, level)
        if isinstance(level, str)
        else level
    )
    if known is not None and known not in ("info", "warning", "error"):
        problems.append(
            _problem(
                path,
                "lint.severity",
                f"`{str(level)[:40]}` is not a severity",
                "use off, info, warn or error",
            )
        )
        return None
    if level is None:
        problems.append(_problem(path, "lint.severity", "null is not a severity"))
        return None
    return known, options


def _options(rule: str, given: object, problems: list[Problem]) -> Mapping[str, Any]:
    path = ("rules", rule, 1)
    if not isinstance(given, dict):
        problems.append(
            _problem(path, "lint.options", f"options must be an object, not {name_of(given)}")
        )
        return _NOTHING
    known = RULES[rule].options
    for key, value in given.items():
        if key not in known:
            hint = _near(key, known) or ("options: " + ", ".join(known) if known else "it has none")
            problems.append(
                _problem((*path, key), "lint.unknown-option", f"`{rule}` has no `{key}`", hint)
            )
        elif type(value) is not type(known[key]):
            text = f"expected {name_of(known[key])}, found {name_of(value)}"
            problems.append(_problem((*path, key), "lint.options", text))
    return given


def _near(word: str, known: Any) -> str:
    close = closest(word, known)
    return f"did you mean `{close}`?" if close else ""


def _problem(path: tuple[str | int, ...], code: str, message: str, hint: str = "") -> Problem:
    return Problem(path=render_path(path), code=code, message=message, hint=hint)
