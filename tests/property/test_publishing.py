"""Laws of publishing: however a registry came to be, the same source gives the same tree, and clients accept it."""

from __future__ import annotations

import pathlib
import tempfile

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atip.registry import tree
from atip.registry.publish.files.delivery import headers_for
from atip.registry.publish.signing.canonical import canonical
from tests.unit.registry.publish.source import RELEASE, Source, digits_of, snapshot

STEPS = st.lists(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["put", "reword", "remove"])),
        max_size=5,
    ),
    min_size=1,
    max_size=4,
)


def apply(source, changes, number):
    for content, what in changes:
        path = source.folder / "shims" / f"{digits_of(content)}.json"
        if what == "remove":
            path.unlink(missing_ok=True)
        else:
            source.add(content, description="A tool" if what == "put" else f"In words {number}")


@given(STEPS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_history_leads_to_the_tree_of_a_fresh_build(history):
    with tempfile.TemporaryDirectory() as folder:
        source = Source(pathlib.Path(folder))
        for number, changes in enumerate(history):
            apply(source, changes, number)
            at = RELEASE + 60 * number
            source.build(at=at)
            assert source.codes(at=at + 1) == []
        # A build after changes carries its own time; one more change makes the times equal.
        source.add("z")
        source.build(at=RELEASE + 6000)
        source.build(at=RELEASE + 6000, place=source.folder / "fresh")
        old, new = snapshot(source.public), snapshot(source.folder / "fresh")
        unsigned = {name for name in new if not name.startswith(f"{tree.TUF}/")}
        assert {name: old[name] for name in unsigned} == {name: new[name] for name in unsigned}
        assert old.keys() - new.keys() <= {name for name in old if name.startswith(f"{tree.TUF}/")}


NAMES = st.text(st.characters(blacklist_categories=["Cc", "Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_canonical_json_is_that_of_python_tuf(value):
    from securesystemslib.formats import encode_canonical

    assert canonical(value) == encode_canonical(value).encode()


@given(st.text(max_size=40))
def test_every_key_has_headers_and_none_is_immutable(key):
    headers = headers_for(key)
    assert set(headers) == {"Content-Type", "Cache-Control"}
    assert "immutable" not in headers["Cache-Control"]
