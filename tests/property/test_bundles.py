"""Laws of bundles: templates stay argv, narrowing is transitive, the ledger never repeats a completed step."""

from __future__ import annotations

import contextlib
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atip.bundles.ledger import SetupLedger
from atip.bundles.login.secrets import SecretStore
from atip.bundles.setup import BundleSetup
from atip.calls.templates.argv import check_template, expand
from atip.codecs.climd.document import read_document, render_document
from atip.codecs.climd.manifest import BundleStep, read_manifest
from atip.errors import AtipError, FormatError
from atip.model.permissions.narrowing import check_narrowing
from tests.simulators.bundle_host import MANIFEST, FakeSpawner, FakeSurface

TEXT = st.text(max_size=30)
NASTY = st.sampled_from(
    [
        "--upload-pack=x",
        "-o",
        "--",
        "-",
        "$(id)",
        "`id`",
        "a;b",
        "a\nb",
        "@/etc/passwd",
        "${input.b}",
        "*",
        "~",
    ]
)
VALUE = st.one_of(
    TEXT, NASTY, st.integers(), st.booleans(), st.lists(st.one_of(TEXT, NASTY), max_size=3)
)
WORD = st.sampled_from(
    [
        "sub", "--flag", "--opt=${input.a}", "${input.a}", "${input.b | default('x')}", "x-${input.b}",
        "${input.c | flag('--c')}", "${input.a | optional('--a')}", "${input.b | optional}", "${input.a | json}",
        "--${input.b}", "${input.a}.txt", "--", "-v",
    ]
)  # fmt: skip


@pytest.mark.proves("AIP29-ARGV-04")
@given(st.lists(WORD, max_size=8), st.dictionaries(st.sampled_from("abc"), VALUE))
@settings(max_examples=400, deadline=None)
def test_expansion_never_yields_an_option_that_the_template_does_not_have(template, values):
    assert check_template(template) == []
    try:
        argv = expand(template, values, program="prog")
    except FormatError:
        return
    assert argv[0] == "prog"
    ended = False
    own = {word for word in template if word.startswith("-")} | {"--c", "--a"}
    prefixes = tuple(
        word.split("${")[0] for word in template if word.startswith("-") and "${" in word
    )
    for word in argv[1:]:
        if not ended and word.startswith("-") and len(word) > 1:
            is_number = word[1:].replace(".", "", 1).isdigit()
            assert word in own or is_number or (prefixes and word.startswith(prefixes)), (
                template,
                argv,
            )
        ended = ended or word == "--"


@given(st.lists(TEXT, max_size=4), st.dictionaries(st.sampled_from("abc"), VALUE))
@settings(max_examples=200, deadline=None)
def test_any_template_expands_or_is_refused_with_a_format_error(template, values):
    try:
        argv = expand(template, values)
    except FormatError:
        return
    assert all(isinstance(word, str) and "\0" not in word for word in argv)


HOSTS = st.lists(st.sampled_from(["a.com", "*.a.com", "x.a.com", "b.org"]), max_size=3)
PATHS = st.lists(st.sampled_from(["/w/**", "/w/a/**", "/w/a/b", "~/.x/**", "~/.x/y"]), max_size=3)
BLOCK = st.fixed_dictionaries(
    {
        "network": st.fixed_dictionaries({"egress": HOSTS}),
        "fs": st.fixed_dictionaries({"read": PATHS, "write": PATHS, "deny": PATHS}),
        "exec": st.fixed_dictionaries(
            {"allow": st.booleans(), "spawn": st.lists(st.sampled_from(["git", "sh"]), max_size=2)}
        ),
        "env": st.fixed_dictionaries({"pass": st.lists(st.sampled_from(["A", "B"]), max_size=2)}),
    }
)


def narrows(parent, child):
    return not [one for one in check_narrowing(parent, child) if one.severity == "error"]


@pytest.mark.proves("AIP29-INHERIT-03")
@given(BLOCK, BLOCK, BLOCK)
@settings(max_examples=400, deadline=None)
def test_narrowing_is_reflexive_and_transitive(first, second, third):
    assert narrows(first, first)
    if narrows(first, second) and narrows(second, third):
        assert narrows(first, third)


STEPS = tuple(BundleStep(id=f"s{n}", kind="cmd", cmd=f"demo {n}") for n in range(5))


class Bundle:
    """Only what Setup looks at."""

    key = "demo@1"
    folder = "/b"
    manifest = read_manifest({**MANIFEST}).replace(setup=STEPS)


@pytest.mark.proves("AIP29-SETUP-15")
@given(
    st.lists(st.sampled_from([None, *[step.cmd for step in STEPS]]), min_size=1, max_size=6),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_completed_step_is_never_repeated_whatever_fails_in_between(failures, data):
    with tempfile.TemporaryDirectory() as folder:
        completed: set[str] = set()
        for failing in failures:
            spawner = FakeSpawner({failing: 1} if failing else {})
            ledger = SetupLedger(folder, workspace="/w", user="u")
            setup = BundleSetup(
                Bundle, ledger=ledger, secrets=SecretStore(folder), spawner=spawner,
                surface=FakeSurface(), confinement=None,
            )  # fmt: skip
            # a confinement is only handed on
            setup.confinement = type("C", (), {"tty": False, "replace": lambda self, **_: self})()
            with contextlib.suppress(AtipError):
                setup.run()
            assert not completed & set(spawner.ran)
            completed |= {cmd for cmd in spawner.ran if cmd != failing}
            if data.draw(st.booleans()):
                with open(ledger.path, "ab") as file:
                    file.write(b'{"step": "s0", "eve')  # killed while writing
        done = set(SetupLedger(folder, workspace="/w", user="u").completed())
        assert done == {step.id for step in STEPS if step.cmd in completed}


LEAF = st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.text(max_size=20))
TREE = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(min_size=1, max_size=10), TREE, max_size=4))
@settings(max_examples=300, deadline=None)
def test_what_is_rendered_reads_back(fields):
    text = render_document(fields, "body\n")
    try:
        document = read_document(text.encode("utf-8", "surrogatepass"), "CLI")
    except FormatError as error:
        # characters that no document may hold are refused, never changed
        assert error.code.startswith("format."), error
        return
    assert document.fields == fields and document.body == "body\n"
