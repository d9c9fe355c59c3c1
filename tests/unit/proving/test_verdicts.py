"""Laws of verdicts: what is seen and denied is a lie, what is not seen lowers nothing, and one lie outweighs any number of proofs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.effects import Effects, Filesystem, Interactive
from atip.policy.confinement.observed import FACTS, claim_of
from atip.proving.evidence import block_of, evidence_of_cases, is_verified
from atip.proving.tally import AS_BEFORE, JudgedCase, steady, why_of
from atip.proving.verdicts import (
    AGREES,
    UNDECLARED,
    UNSAID,
    UNUSED,
    CaseFacts,
    FactVerdict,
    is_proof,
    judge_sight,
    sight_from,
)

maybe = st.sampled_from([True, False, None])
effects = st.builds(
    lambda r, w, d, n, s, t, m: Effects(
        filesystem=Filesystem(read=r, write=w, delete=d), network=n, subprocess=s,
        interactive=Interactive(tty=t), modifies=m,
    ),
    maybe, maybe, maybe, maybe, maybe, maybe,
    st.sampled_from([None, (), ("process",), ("mount", "process")]),
)  # fmt: skip
sights = st.builds(
    lambda facts, worked, lost: CaseFacts(
        worked=worked, timed_out=False, lost=lost,
        seen={fact: (f"/usr/bin/{fact}",) for fact in facts}, calls=dict.fromkeys(facts, ("openat",)),
    ),
    st.sets(st.sampled_from(FACTS)), st.booleans(), st.booleans(),
)  # fmt: skip


@given(effects, sights)
def test_each_fact_has_the_verdict_that_claim_and_sight_give(
    claim: Effects, sight: CaseFacts
) -> None:
    found = {each.fact: each.verdict for each in judge_sight(claim, sight)}
    for fact in FACTS:
        claimed, seen = claim_of(claim, fact), fact in sight.seen
        if seen:
            assert found[fact] == {True: AGREES, False: UNDECLARED, None: UNSAID}[claimed]
        else:
            assert found.get(fact) == (UNUSED if claimed else None)


@given(effects, sights)
def test_a_lie_is_never_a_proof_and_a_sight_survives_json(claim: Effects, sight: CaseFacts) -> None:
    assert sight_from(sight.to_json()) == sight
    verdicts = judge_sight(claim, sight)
    if any(verdict.verdict == UNDECLARED for verdict in verdicts):
        assert not is_proof(sight, verdicts)
    if is_proof(sight, verdicts):
        assert any(verdict.verdict == AGREES for verdict in verdicts)


@given(effects, sights)
def test_named_programs_are_declared(claim: Effects, sight: CaseFacts) -> None:
    found = {each.fact: each.verdict for each in judge_sight(claim, sight, spawn=("subprocess",))}
    assert found.get("subprocess") not in (UNDECLARED, UNSAID)


def judged(fact: str, verdict: str, line: str) -> JudgedCase:
    sight = CaseFacts(worked=True, timed_out=False, lost=False, seen={fact: ("x",)}, calls={})
    return JudgedCase(
        tool="tool",
        row={"argv": line.split(), "exit": 0},
        sight=sight,
        verdicts=(FactVerdict(fact=fact, verdict=verdict),),
        whys={fact: ""},
    )


def test_one_lie_outweighs_every_proof_and_keeps_its_line() -> None:
    rows = [
        judged("network", AGREES, "tool a"),
        judged("network", UNDECLARED, "tool b"),
        judged("network", AGREES, "tool c"),
    ]
    evidence = evidence_of_cases("tool", "sha256:00", "1.0", rows)
    assert evidence["facts"] == [
        {
            "subject": "tool",
            "fact": "network",
            "verdict": UNDECLARED,
            "lines": ["tool b"],
            "calls": [],
        }
    ]
    block = block_of(evidence)
    assert block["facts"] == {"network": {"verdict": UNDECLARED, "line": "tool b"}}
    assert (block["digest"], block["version"], block["cases"]) == ("sha256:00", "1.0", 3)


def test_a_description_is_verified_only_when_every_claim_of_every_command_was_seen() -> None:
    def of(*rows: tuple[str, str, str]) -> dict:
        facts = [
            {"subject": subject, "fact": fact, "verdict": verdict}
            for subject, fact, verdict in rows
        ]
        return {"facts": facts}

    read, write = ("t a", "filesystem.read", AGREES), ("t b", "filesystem.write", AGREES)
    assert is_verified(of(read, write), ("t a", "t b"))
    assert not is_verified(of(read), ("t a", "t b"))  # one command had no case
    assert not is_verified(of(read, write, ("t b", "network", UNUSED)), ("t a", "t b"))
    assert not is_verified(of(read, write, ("t b --x", "network", UNDECLARED)), ("t a", "t b"))
    assert is_verified(of(read, write, ("t b --x", "network", UNUSED)), ("t a", "t b"))
    assert not is_verified(of(), ())


def played(argv: str, *, folder: str = "", seen: tuple[str, ...] = (), **more: object) -> dict:
    return {
        "argv": argv.split(), "folder": folder, "exit": 0, "worked": True, "timedOut": False, "lost": False,
        "seen": {"filesystem.read": list(seen)} if seen else {}, "calls": {}, **more,
    }  # fmt: skip


def test_the_same_line_in_two_set_ups_is_two_cases() -> None:
    first = [played("cat text.txt", seen=("x",)), played("cat text.txt", folder="repo")]
    result = {"name": "cat", "cases": first}
    assert len(steady(result, {"name": "cat", "cases": first[::-1]}, ())) == 2
    other = [first[0], played("cat text.txt", folder="repo", seen=("y",))]
    assert len(steady(result, {"name": "cat", "cases": other}, ())) == 1


def test_a_case_that_the_clock_cut_off_says_nothing() -> None:
    whole, cut = played("cat text.txt"), played("cat text.txt", cut=True, timedOut=True)
    for one, two in ((whole, cut), (cut, whole), (cut, cut)):
        assert steady({"name": "cat", "cases": [one]}, {"name": "cat", "cases": [two]}, ()) == []
    waits = played("cat text.txt", timedOut=True)
    both = {"name": "cat", "cases": [waits]}
    assert len(steady(both, both, ())) == 1


def test_a_file_that_was_opened_for_writing_and_is_as_before_contradicts_nothing() -> None:
    seen = FactVerdict(fact="filesystem.write", verdict=UNDECLARED, seen=("/d/a", "/d/b"))
    sight = CaseFacts(worked=True, timed_out=False, lost=False, seen={}, calls={})
    assert why_of("tool", seen, sight.replace(unchanged=("/d/a", "/d/b")), ()) == AS_BEFORE
    assert why_of("tool", seen, sight.replace(unchanged=("/d/a",)), ()) == ""
