"""Effects of 222 lines that were labelled before the rules were looked at (conformance/effects)."""

from __future__ import annotations

from itertools import product

import pytest

from atip.inference.effects import explain_effects
from atip.knowledge import load
from tests.shared import ROOT

FILE = ROOT / "conformance" / "effects" / "lines.tsv"
LABELS = ("network", "write", "destructive", "reversible", "billable")


def read_rows():
    lines = FILE.read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def judge(line, description, lookup):
    effects = explain_effects(line, description=description, lookup=lookup).effects
    found = (
        effects.network,
        effects.filesystem and effects.filesystem.write,
        effects.destructive,
        effects.reversible,
        effects.cost and effects.cost.billable,
    )
    return dict(zip(LABELS, found, strict=True))


def compare(lookup):
    """For each label: pairs of the truth and what was found."""
    pairs = {label: [] for label in LABELS}
    groups = {}
    for line, description, group, labels in read_rows():
        found = judge(line, description, lookup)
        for label, sign in zip(LABELS, labels.split(), strict=True):
            if sign != "-":
                pairs[label].append((sign == "1", found[label], line))
        if group and labels.split()[2] != "-":
            truth = labels.split()[2] == "1"
            groups.setdefault(group, []).append((truth, found["destructive"] is truth))
    return pairs, groups


def recall(pairs):
    asked = [found for truth, found, _ in pairs if truth]
    return sum(found is True for found in asked) / len(asked)


def false_safe(pairs):
    return [line for truth, found, line in pairs if truth and found is False]


def accuracy(pairs):
    return sum(found is truth for truth, found, _ in pairs) / len(pairs)


def contrast(groups):
    both = [
        one[1] and other[1]
        for lines in groups.values()
        for one, other in product(lines, lines)
        if one[0] and not other[0]
    ]
    return sum(both) / len(both)


@pytest.mark.parametrize("lookup", [load, lambda _name: None], ids=["knowledge", "rules"])
def test_no_loss_is_called_safe(lookup):
    pairs, _ = compare(lookup)
    assert false_safe(pairs["destructive"]) == []
    assert false_safe(pairs["billable"]) == []


def test_rules_alone_see_loss():
    pairs, _ = compare(lambda _name: None)
    assert recall(pairs["destructive"]) >= 0.96


def test_with_knowledge():
    pairs, groups = compare(load)
    assert recall(pairs["destructive"]) >= 0.98
    assert accuracy(pairs["reversible"]) >= 0.93
    assert accuracy(pairs["billable"]) >= 0.94
    assert accuracy(pairs["network"]) >= 0.88
    assert contrast(groups) >= 0.9
