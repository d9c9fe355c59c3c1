"""Configs: presets, severities, options; what is misspelt stops the run."""

from __future__ import annotations

import json

import pytest

from atip.errors import FormatError
from atip.model.lint.config import decode_config, with_rule
from tests.shared import shared


def problems(document):
    with pytest.raises(FormatError) as caught:
        decode_config(document)
    assert caught.value.code == "lint.config"
    return [(problem.path, problem.code) for problem in caught.value.problems]


def test_nothing_said_is_recommended():
    assert decode_config({}).setting_of("no-empty-effects")[0] == "warning"


@pytest.mark.parametrize(
    ("given", "severity"),
    [("off", None), (0, None), ("info", "info"), ("warn", "warning"), (1, "warning"), (2, "error")],
)
def test_severities_in_words_and_numbers(given, severity):
    config = decode_config({"rules": {"no-empty-effects": given}})
    assert config.setting_of("no-empty-effects")[0] == severity


def test_options_are_laid_over_the_defaults():
    config = decode_config({"rules": {"description-quality": ["error", {"minLength": 3}]}})
    severity, options = config.setting_of("description-quality")
    assert (severity, options["minLength"], options["maxLength"]) == ("error", 3, 200)


def test_the_last_of_several_presets_counts():
    config = decode_config({"extends": ["minimal", "strict"]})
    assert config.setting_of("no-empty-effects")[1]["minFields"] == 2


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ([], [("$", "lint.config")]),
        ({"extends": "strickt"}, [("$.extends", "lint.preset")]),
        ({"rule": {}}, [("$.rule", "lint.unknown-setting")]),
        (
            {"rules": {"no-empty-effect": "off"}},
            [('$.rules["no-empty-effect"]', "lint.unknown-rule")],
        ),
        ({"rules": {"no-empty-effects": 3}}, [('$.rules["no-empty-effects"]', "lint.severity")]),
        ({"rules": {"no-empty-effects": True}}, [('$.rules["no-empty-effects"]', "lint.severity")]),
        ({"rules": {"no-empty-effects": None}}, [('$.rules["no-empty-effects"]', "lint.severity")]),
        ({"rules": {"no-empty-effects": []}}, [('$.rules["no-empty-effects"]', "lint.severity")]),
        (
            {"rules": {"no-empty-effects": ["warn", {"minField": 1}]}},
            [('$.rules["no-empty-effects"][1].minField', "lint.unknown-option")],
        ),
        (
            {"rules": {"no-empty-effects": ["warn", {"minFields": "1"}]}},
            [('$.rules["no-empty-effects"][1].minFields', "lint.options")],
        ),
    ],
)
def test_what_is_not_understood_is_refused_with_its_path(document, expected):
    assert problems(document) == expected


@pytest.mark.parametrize(
    ("name", "code"), [("invalid-severity", "lint.severity"), ("invalid-options", "lint.options")]
)
def test_the_bad_configs_of_the_reference_are_refused(name, code):
    text = (shared("vectors/atip/lint/configs") / f"{name}.json").read_text()
    assert [found for _path, found in problems(json.loads(text))] == [code]


def test_a_rule_from_the_command_line():
    config = with_rule(decode_config({}), "consistent-naming=off")
    assert config.setting_of("consistent-naming")[0] is None
    with pytest.raises(FormatError):
        with_rule(config, "consistent-naming=loud")
