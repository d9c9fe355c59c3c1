"""Public data of AIP-29 and its companions: verdicts, lenient loading, argv expansion, and the schemas themselves."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys

import pytest

from atip.codecs.climd import codec as climd
from atip.codecs.climd.check import check_fields
from atip.codecs.climd.document import kind_of_name, read_document
from tests.shared import ROOT, shared

KINDS = ("CLI", "TOOL", "SECRETS", "INTENT", "DRIVER", "AGENT-CLI")


def test_every_vector_is_right():
    folder = shared("vectors/aip29")
    script = ROOT / "benchmarks" / "adapters" / "vectors.py"
    done = subprocess.run(
        [sys.executable, str(script), "aip29", str(folder)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    right, total = done.stdout.split()[-1].split("/")
    assert right == total


@pytest.mark.proves("AIP29-EXAMPLE-01")
def test_example_of_the_text_loads_leniently_with_its_placeholder_marked():
    path = shared("vectors/aip29/examples/cli/01-gh/CLI.md")
    decoded = climd.decode(path.read_bytes(), origin="gh")
    codes = {(problem.code, problem.severity) for problem in decoded.problems}
    assert ("climd.placeholder", "warning") in codes
    assert decoded.tool.find(("pr", "create")) is not None
    assert climd.encode(decoded.tool).data["CLI.md"] == path.read_text()


def validators():
    """The public schemas, with the address of IO that TOOL refers to (P5)."""
    import jsonschema
    import referencing

    folder = shared("vectors/aip29/schema")
    documents = {
        path.name.removesuffix(".schema.json"): json.loads(path.read_text())
        for path in folder.glob("*.schema.json")
    }
    resources = [
        (doc["$id"], referencing.Resource.from_contents(doc)) for doc in documents.values()
    ]
    alias = "https://agentproto.sh/docs/aip-16/IO.schema.json"
    resources.append((alias, referencing.Resource.from_contents({**documents["IO"], "$id": alias})))
    registry = referencing.Registry().with_resources(resources)
    return {
        kind: jsonschema.Draft202012Validator(documents[kind], registry=registry) for kind in KINDS
    }


def mutated(value, rng):
    """A copy with one random change somewhere."""
    value = copy.deepcopy(value)
    node = value
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return value
        key = rng.choice(keys)
        if isinstance(node[key], (dict, list)) and node[key] and rng.random() < 0.7:
            node = node[key]
            continue
        change = rng.choice(("drop", "type", "text", "add", "null"))
        if change == "drop":
            del node[key]
        elif change == "type":
            node[key] = rng.choice((1, -1, True, "x", [], {}, ["a"], {"a": "b"}, 3.5, ""))
        elif change == "text":
            node[key] = rng.choice(("", "A B", "x" * 90, "é", "0", "P1D", "sha", "a/b", "linux"))
        elif change == "add" and isinstance(node, dict):
            node[rng.choice(("zzz", "metadata", "default", "value", "tags"))] = rng.choice(
                (1, "a", {})
            )
        else:
            node[key] = None
        return value


@pytest.mark.parametrize("kind", KINDS)
def test_our_tables_and_the_public_schema_give_the_same_verdict_on_changed_documents(kind):
    public = validators()[kind]
    rng = random.Random(29)
    examples = [
        dict(read_document(path.read_bytes(), kind).fields)
        for path in sorted(shared("vectors/aip29/examples").rglob("*.md"))
        if kind_of_name(path.name) == kind
    ]
    for turn in range(250):
        document = rng.choice(examples)
        for _ in range(1 + turn % 3):
            document = mutated(document, rng)
        ours = not check_fields(kind, document, "schema")
        assert ours is public.is_valid(document), document
