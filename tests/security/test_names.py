"""A document cannot speak for another program."""

from __future__ import annotations

import json

from atip.discovery.sources.native import judge_answer
from atip.sandbox.probes.worker import ProbeResult


def answer(**changes: object) -> ProbeResult:
    document = {"atip": {"version": "0.6"}, "name": "mine", "version": "1", "description": "x"}
    return ProbeResult(exit_code=0, stdout=json.dumps({**document, **changes}).encode())


def test_an_answer_is_kept_under_the_name_of_the_executable():
    judged = judge_answer("mine", answer(name="git"))
    assert (judged.tool.name, judged.renamed_from) == ("mine", "git")


def test_what_a_program_says_of_its_own_trust_is_not_kept():
    trust = {"source": "vendor", "verified": True}
    found = judge_answer("mine", answer(trust=trust)).tool.trust
    assert found is not None
    assert (found.source, found.verified) == ("native", False)
