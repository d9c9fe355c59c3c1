"""Laws of hosts, globs and narrowing over generated values."""

from __future__ import annotations

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from atip.errors import FormatError
from atip.model.permissions.narrowing import check_narrowing
from atip.model.text.globs import parse_glob
from atip.model.text.hosts import canonical_host, parse_host_pattern

MANY = settings(max_examples=1000, deadline=None)
LABEL = st.sampled_from(["a", "b", "api", "x-1"])
HOST = st.lists(LABEL, min_size=2, max_size=4).map(".".join)
PATTERN = st.tuples(st.sampled_from(["", "*."]), HOST).map("".join)
PART = st.sampled_from(["a", "b", "c"])
PATH = st.lists(PART, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
GLOB = st.tuples(PATH, st.sampled_from(["", "/**", "/*"])).map("".join)
NAMES = st.lists(st.sampled_from(["git", "sh", "TOKEN"]), max_size=2, unique=True)
BLOCK = st.fixed_dictionaries(
    {},
    optional={
        "network": st.fixed_dictionaries({"egress": st.lists(PATTERN, max_size=2)}),
        "fs": st.fixed_dictionaries(
            {}, optional={key: st.lists(GLOB, max_size=2) for key in ("read", "write", "deny")}
        ),
        "exec": st.fixed_dictionaries({"allow": st.booleans(), "spawn": NAMES}),
        "env": st.fixed_dictionaries({"pass": NAMES}),
        "tty": st.fixed_dictionaries({"required": st.booleans()}),
    },
)


@MANY
@given(st.text(max_size=40))
def test_canonical_host_is_idempotent_ascii_and_never_an_address(text: str) -> None:
    name = canonical_host(text)
    if name is not None:
        assert canonical_host(name) == name
        assert name.isascii() and name == name.lower() and not set(name) & set("/:@%\x00 \r\n")


@MANY
@given(PATTERN, PATTERN, HOST)
def test_covering_pattern_matches_all_that_the_covered_one_does(a: str, b: str, host: str) -> None:
    wide, narrow = parse_host_pattern(a), parse_host_pattern(b)
    if wide.covers(narrow) and narrow.matches(host):
        assert wide.matches(host)


@MANY
@given(GLOB, GLOB, GLOB)
def test_glob_covering_is_transitive(a: str, b: str, c: str) -> None:
    one, two, three = parse_glob(a), parse_glob(b), parse_glob(c)
    if one.surely_covers(two) and two.surely_covers(three):
        assert one.surely_covers(three)


@MANY
@given(BLOCK, BLOCK, BLOCK)
def test_narrowing_is_reflexive_and_transitive(
    a: dict[str, object], b: dict[str, object], c: dict[str, object]
) -> None:
    assert check_narrowing(a, a) == []
    full_b = {**a, **b}
    full_c = {**full_b, **c}
    if not check_narrowing(a, full_b) and not check_narrowing(full_b, full_c):
        assert check_narrowing(a, full_c) == []


@MANY
@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["fs", "read", "exec", "allow", "env", "set", "x"]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
)
def test_no_child_makes_the_check_crash(child: object) -> None:
    check_narrowing({"fs": {"read": ["/w/**"]}}, child)


@MANY
@given(st.text(max_size=20))
def test_parsers_raise_nothing_but_format_errors(text: str) -> None:
    for parse in (parse_glob, parse_host_pattern):
        with contextlib.suppress(FormatError):
            parse(text)
