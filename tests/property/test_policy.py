"""Laws of policy: layers and denials only narrow; unknown is never better than known; no preset lifts destruction."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from atip.model.effects import Cost, Effects, Filesystem
from atip.model.permissions.delegation import Delegation
from atip.policy.command_context import DANGERS, CommandContext
from atip.policy.decide import decide
from atip.policy.decision import is_stricter
from atip.policy.policy import LAYERS, Policy, Rule, TrustDemand
from atip.policy.presets import PRESETS

FACT = st.sampled_from([True, False, None])
LIST = st.sampled_from([None, (), ("x",)])
TOOLS = st.sampled_from(["git", "rm", "npm"])


@st.composite
def effects(draw):
    return Effects(
        filesystem=Filesystem(read=draw(FACT), write=draw(FACT), delete=draw(FACT)),
        network=draw(FACT), subprocess=draw(FACT), destructive=draw(FACT), reversible=draw(FACT),
        creates=draw(LIST), modifies=draw(LIST), deletes=draw(LIST), cost=Cost(billable=draw(FACT)),
        extra=draw(st.sampled_from([{}, {"x-atip-secrets": True}, {"x-atip-outside": True}])),
    )  # fmt: skip


@st.composite
def subjects(draw):
    return CommandContext(
        tool=draw(TOOLS), path=draw(st.sampled_from([(), ("push",), ("test",)])), effects=draw(effects()),
        flags=draw(st.sampled_from([None, (), ("--force",)])), evidence=draw(st.sampled_from(["knowledge", "native", ""])),
        paths=draw(st.sampled_from([(), ("/etc/x",), ("/w/a\0",)])), listed=draw(FACT),
    )  # fmt: skip


DECISIONS = st.sampled_from(["allow", "ask", "deny"])


@st.composite
def rules(draw, decision=DECISIONS):
    optional = st.none()
    return Rule(
        decision=draw(decision),
        tools=draw(
            optional | st.lists(st.sampled_from(["git", "rm", "n*"]), max_size=2).map(tuple)
        ),
        commands=draw(optional | st.sampled_from([("push",), ()])),
        options=draw(optional | st.just(("--force",))),
        effects=draw(
            st.dictionaries(
                st.sampled_from(["network", "destructive", "reversible"]), st.booleans(), max_size=2
            )
        ),
        within=draw(optional | st.lists(st.sampled_from(DANGERS), max_size=4).map(tuple)),
        paths=draw(optional | st.sampled_from([("/etc/**",), ("/w/*",)])),
    )


@st.composite
def layers(draw):
    return Policy(
        layer=draw(st.sampled_from(LAYERS)), preset=draw(st.none() | st.sampled_from([*PRESETS])),
        rules=tuple(draw(st.lists(rules(), max_size=3))), default=draw(st.none() | st.sampled_from(["ask", "deny"])),
        allowlist=draw(st.booleans()), trust=draw(st.none() | st.just(TrustDemand(signatures=True))),
        delegation=draw(st.none() | st.just(Delegation(allowed_tools=("git",), effect_restrictions={"network": False}))),
    )  # fmt: skip


stacks = st.lists(layers(), min_size=1, max_size=3).map(tuple)


@given(stacks, layers(), subjects())
def test_one_more_layer_never_allows_more(stack, layer, subject):
    before, after = decide(stack, subject).outcome, decide((*stack, layer), subject).outcome
    assert not is_stricter(before, after)


@given(layers(), rules(decision=st.just("deny")), subjects())
def test_one_more_denial_never_allows_more(layer, rule, subject):
    wider = decide((layer,), subject).outcome
    narrower = decide((layer.replace(rules=(*layer.rules, rule)),), subject).outcome
    assert not is_stricter(wider, narrower)


@given(stacks, subjects())
def test_the_order_of_layers_does_not_matter(stack, subject):
    assert decide(stack, subject).outcome == decide(stack[::-1], subject).outcome


@given(stacks, subjects())
def test_destruction_is_never_allowed_unasked(stack, subject):
    lost = subject.replace(effects=subject.effects.replace(destructive=True))
    assert decide(stack, lost).outcome != "allow"


@given(
    st.sampled_from([*PRESETS]),
    subjects(),
    st.sampled_from(["network", "destructive", "subprocess"]),
)
def test_not_knowing_is_never_better_than_knowing_that_it_is_harmless(preset, subject, fact):
    policies = (Policy(preset=preset),)
    harmless = subject.replace(effects=subject.effects.replace(**{fact: False}))
    unknown = subject.replace(effects=subject.effects.replace(**{fact: None}))
    assert not is_stricter(decide(policies, harmless).outcome, decide(policies, unknown).outcome)


@given(stacks, subjects())
def test_every_decision_says_why(stack, subject):
    found = decide(stack, subject)
    assert found.outcome == "allow" or (found.rule and found.reasons)
