"""The numbers of the proof run are where people look: bare `atip`, and the evidence of a tool."""

from __future__ import annotations

import json
import pathlib

from atip.knowledge import proof
from atip.knowledge.proof import load_proof, rows_of, summary
from tests.cli.run import atip

FOLDER = pathlib.Path(proof.__file__).parent


def test_the_state_of_the_machine_tells_how_much_was_observed(tmp_path: pathlib.Path) -> None:
    numbers = json.loads((FOLDER / "proof-summary.json").read_text())
    ran = atip("--json", home=tmp_path)
    assert ran.document["proof"]["facts"] == numbers["facts"] > 0
    plain = atip(home=tmp_path)
    assert f"{numbers['facts']:,} curated facts were observed" in plain.out


def test_the_proof_of_the_pack_is_whole(tmp_path: pathlib.Path) -> None:
    document = load_proof()
    assert {key: document[key] for key in summary()} == summary()
    assert document["open"] == 0
    found = list(rows_of("cp"))
    assert ("cp", "filesystem.write") in {(subject, fact) for subject, fact, *_ in found}
    for _subject, _fact, line, _version, digest in found:
        assert line.startswith("cp ")
        assert digest.startswith("sha256:")


def test_evidence_of_the_pack_is_shown_as_what_it_is(tmp_path: pathlib.Path) -> None:
    result = atip("show", "cp", "--evidence", home=tmp_path)
    assert "observed: filesystem.write agrees – cp " in result.out
