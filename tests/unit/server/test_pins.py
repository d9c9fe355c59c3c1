"""Pins: what was shown once is compared with what would be shown now."""

from __future__ import annotations

import os

import pytest

from atip.calls.functions import functions_of
from atip.errors import AtipError
from atip.model.reading.decode import decode_tool
from atip.server.pins import CHANGED, NEW, SAME, Pins
from tests.simulators.known_tools import document


def function(made, path):
    return next(one for one in functions_of(decode_tool(made)) if one.path == path)


@pytest.fixture
def pins(tmp_path):
    return Pins(str(tmp_path / "config"))


def test_new_then_same_then_changed(pins):
    sample = document()
    say = function(sample, ("say",))
    assert pins.state(say, sample) == NEW
    pins.put(say, sample)
    assert pins.state(say, sample) == SAME
    assert Pins(os.path.dirname(pins.folder)).state(say, sample) == SAME, "remembered on disk"
    sample["commands"]["say"]["description"] += " and more"
    assert pins.state(say, sample) == CHANGED


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["commands"]["say"]["options"][0].update(description="other"),
        lambda d: d["commands"]["say"]["options"][0].update(enum=["x"]),
        lambda d: d["commands"]["say"]["effects"].update(network=True),
        lambda d: d["commands"]["say"]["arguments"][0].update(default="x"),
        lambda d: d["commands"]["say"].update(examples=["greet say x"]),
        lambda d: d.update(description="other"),
        lambda d: d.update(globalOptions=[{"name": "g", "flags": ["--g"], "description": "g"}]),
        lambda d: d.update(effects={"destructive": True}),
    ],
    ids=range(8),
)
def test_every_text_schema_and_effect_that_a_model_sees_counts(pins, change):
    sample = document()
    say = function(sample, ("say",))
    pins.put(say, sample)
    change(sample)
    assert pins.state(say, sample) == CHANGED


def test_other_commands_and_evidence_do_not_count(pins):
    sample = document()
    say = function(sample, ("say",))
    pins.put(say, sample)
    sample["commands"]["wait"]["description"] = "other"
    sample["commands"]["say"]["options"][0]["x-atip"] = {"evidence": {"source": "help"}}
    sample["version"] = "2"
    assert pins.state(say, sample) == SAME


def test_the_difference_is_cleaned_and_cut(pins):
    sample = document()
    say = function(sample, ("say",))
    pins.put(say, sample)
    sample["commands"]["say"]["description"] = "\x1b[2J\u202e" + "x" * 5000
    sample["commands"]["say"]["examples"] = [f"line {n}" for n in range(100)]
    shown = pins.difference(say, sample)
    assert "\x1b" not in shown and "\u202e" not in shown
    assert len(shown) < 8_000
    assert "more lines" in shown


def test_a_pin_that_others_may_write_is_refused(pins):
    sample = document()
    say = function(sample, ("say",))
    pins.put(say, sample)
    for folder, _, files in os.walk(pins.folder):
        for file in files:
            os.chmod(os.path.join(folder, file), 0o666)
    with pytest.raises(AtipError) as caught:
        pins.state(say, sample)
    assert caught.value.code == "pins.unsafe-file"


def test_a_configuration_that_cannot_be_written_pins_in_memory(tmp_path):
    (tmp_path / "config").write_text("a file where a folder should be")
    pins = Pins(str(tmp_path / "config" / "below"))
    sample = document()
    say = function(sample, ("say",))
    pins.put(say, sample)
    sample["commands"]["say"]["description"] = "other"
    assert pins.state(say, sample) == CHANGED
