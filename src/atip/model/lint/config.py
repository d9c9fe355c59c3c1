"""Lint rules in force and their severity: presets and config documents.

`{"extends": "recommended", "rules": {"rule": "off" | "info" | "warn" | "error" | ["error", {options}]}}`;
the numbers 0, 1, 2 stand for off, warn, error. An invalid config stops the run:
a misspelled rule would silently check nothing.
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
            severity, stated_options = self.rules[rule]
            options.update(stated_options)
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
    for name, setting_value in rules.items():
        setting = _setting(name, setting_value, problems)
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
    parsed = decode_config({"rules": {name: level or "error"}})
    return config.replace(rules={**config.rules, **parsed.rules})


def _extends(value: object, problems: list[Problem]) -> str:
    """One preset or a list of them, of which the last counts."""
    names = value if isinstance(value, list) else [value]
    for name in names:
        if name not in PRESETS:
            problems.append(
                _problem(
                    ("extends",),
                    "lint.preset",
                    f"unknown preset `{str(name)[:40]}`",
                    _near(str(name), PRESETS) or "presets: " + ", ".join(PRESETS),
                )
            )
    return names[-1] if names and names[-1] in PRESETS else "recommended"


def _setting(name: str, value: object, problems: list[Problem]) -> Setting | None:
    path = ("rules", name)
    if name not in RULES:
        hint = _near(name, RULES) or "see `atip lint --rules`"
        problems.append(_problem(path, "lint.unknown-rule", f"unknown rule `{name[:60]}`", hint))
        return None
    level, options = value, _NOTHING
    if isinstance(value, list):
        if not 1 <= len(value) <= 2:
            problems.append(
                _problem(path, "lint.severity", "expected [severity] or [severity, options]")
            )
            return None
        level = value[0]
        if len(value) == 2:
            options = _options(name, value[1], problems)
    severity = (
        _NUMBERS.get(level, level)
        if type(level) is int
        else LEVELS.get(level, level)
        if isinstance(level, str)
        else level
    )
    if severity is not None and severity not in ("info", "warning", "error"):
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
    return severity, options


def _options(rule: str, value_given: object, problems: list[Problem]) -> Mapping[str, Any]:
    path = ("rules", rule, 1)
    if not isinstance(value_given, dict):
        problems.append(
            _problem(path, "lint.options", f"options must be an object, not {name_of(value_given)}")
        )
        return _NOTHING
    defaults = RULES[rule].options
    for key, value in value_given.items():
        if key not in defaults:
            hint = _near(key, defaults) or (
                "options: " + ", ".join(defaults) if defaults else "it has none"
            )
            problems.append(
                _problem(
                    (*path, key),
                    "lint.unknown-option",
                    f"rule `{rule}` has no option `{key}`",
                    hint,
                )
            )
        elif type(value) is not type(defaults[key]):
            text = f"expected {name_of(defaults[key])}, found {name_of(value)}"
            problems.append(_problem((*path, key), "lint.options", text))
    return value_given


def _near(word: str, words: Any) -> str:
    close = closest(word, words)
    return f"did you mean `{close}`?" if close else ""


def _problem(path: tuple[str | int, ...], code: str, message: str, hint: str = "") -> Problem:
    return Problem(path=render_path(path), code=code, message=message, hint=hint)
