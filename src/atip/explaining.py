"""Explaining a shell line: parsed commands, their effects with reasons, and the decision.

Where the workflow meets: line → commands (`calls`) → subjects (`policy.line`) → decision (`policy.decide`).
Executes nothing, never scans, opens no socket. Also the whole of what `guard` needs, so the fast path
imports no more than this. Implements DESIGN §5 `Toolbox.explain`.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.calls.shell import parse_shell
from atip.errors import AtipError, FormatError
from atip.model.effects import UNKNOWN, Effects, union_of_steps
from atip.model.value import Value
from atip.policy.decide import decide
from atip.policy.decision import ASK, NOTHING_RUNS, Decision, strictest
from atip.policy.line import judge_line
from atip.policy.subject import Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atip.model.tool import Tool
    from atip.policy.policy import Policy
    from atip.system.paths import Places
    from atip.toolbox import Toolbox

    Lookup = Callable[[str], Tool | None]
    Establish = Callable[[Subject], Subject]


class Explanation(Value):
    """What a line will do, and whether it may."""

    line: str
    invocations: tuple[Subject, ...]
    """Every command that may run, wrappers opened, in the order of the line."""
    effects: Effects
    """Of the whole line: a danger is excluded only if every command excludes it."""
    decision: Decision
    decisions: tuple[Decision, ...] = ()
    """One per invocation."""
    problem: str = ""
    """Why the line could not be read; such a line is never allowed."""


def explain_line(
    line: str,
    policies: Sequence[Policy],
    *,
    lookup: Lookup,
    cwd: str,
    home: str = "~",
    establish: Establish | None = None,
) -> Explanation:
    """Judge a line; a line that cannot be read gets unknown effects and a question, never an error.

    Args:
        establish: adds what policy wants proven about programs; None: no policy does.
    """
    try:
        parsed = parse_shell(line, home=home, cwd=cwd)
    except FormatError as error:
        unreadable = Decision(outcome=ASK, reasons=(error.message,), rule="always: unreadable")
        anything = Subject(tool=UNKNOWN_TEXT, flags=None, text=line)
        decision = strictest((unreadable, decide(policies, anything)))
        return Explanation(
            line=line, invocations=(), effects=UNKNOWN, decision=decision, problem=error.message
        )
    subjects = judge_line(parsed, lookup=lookup, cwd=cwd, home=home)
    if establish is not None:
        subjects = tuple(establish(subject) for subject in subjects)
    decisions = tuple(decide(policies, subject) for subject in subjects)
    return Explanation(
        line=line,
        invocations=subjects,
        effects=_union(subjects),
        decision=strictest(decisions) if decisions else NOTHING_RUNS,
        decisions=decisions,
    )


def _union(subjects: Sequence[Subject]) -> Effects:
    if not subjects:
        from atip.knowledge.words import as_effects, profile

        return as_effects(profile("nothing"))
    total = subjects[0].effects
    for subject in subjects[1:]:
        total = union_of_steps(total, subject.effects)
    return total


def explain_for(box: Toolbox, line: str, *, cwd: str) -> Explanation:
    """`explain_line` with the policies and the knowledge of one user."""
    from atip.registry.policies import load_policies

    places = box.places
    policies = load_policies(places, cwd, preset=box.policy)
    return explain_line(
        line, policies, lookup=lambda name: find_known(places, name), cwd=cwd, home=places.home,
        establish=find_establisher(places, policies, cwd),
    )  # fmt: skip


def find_establisher(
    places: Places,
    policies: Sequence[Policy],
    cwd: str,
    program: tuple[str, str, str] | None = None,
) -> Establish | None:
    """How to prove what these policies want proven, loaded only when one does."""
    if not any(p.allowlist or p.trust or any(r.trust for r in p.rules) for p in policies):
        return None
    from atip.establishing import Program, establisher

    known = Program(word=program[0], path=program[1], digest=program[2]) if program else None
    return establisher(places, policies, cwd=cwd, program=known)


def find_known(places: Places, name: str) -> Tool | None:
    """Curated knowledge; otherwise what the store holds, without scanning and without asking anybody."""
    from atip.knowledge.reading import load

    tool = load(name)
    if tool is not None:
        return tool
    from atip.registry.store import Store

    store = Store(places)
    entry = store.find(name)
    if entry is None:
        return None
    from atip.model.decode import decode_tool

    try:
        return decode_tool(store.load_metadata(name, entry))
    except AtipError:
        # metadata that cannot be read says nothing: the tool is unknown, and unknown is never allowed
        return None
