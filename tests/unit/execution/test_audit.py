"""The audit shows every change, survives killed writers, and goes on over files."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import stat

import pytest

from atip.errors import AtipError, ExecutionError
from atip.execution.audit.anchor import Head, parse_head
from atip.execution.audit.chain import GENESIS, NAME, Audit
from atip.execution.audit.records import redacted


def filled(folder, runs: int = 3, **options) -> Audit:
    audit = Audit(str(folder), **options)
    for number in range(runs):
        audit.append({"event": "start", "run": str(number), "argv": ["x", "\x1b[2J\u202e\n"]})
        audit.append({"event": "end", "run": str(number), "exitCode": 0})
    return audit


def test_records_form_a_chain(tmp_path):
    audit = filled(tmp_path)
    records = list(audit.records())
    assert records[0]["previous"] == GENESIS
    assert all(b["previous"] == a["hash"] for a, b in itertools.pairwise(records))
    checked = audit.verify()
    assert (checked.records, checked.broken, checked.unfinished) == (6, None, ())
    assert checked.last == records[-1]["hash"]


def test_the_file_is_the_users_alone_and_one_event_is_one_plain_line(tmp_path):
    audit = filled(tmp_path, 1)
    assert stat.S_IMODE(os.stat(audit.path).st_mode) == 0o600
    data = (tmp_path / NAME).read_bytes()
    assert data.count(b"\n") == 2
    assert all(32 <= byte < 127 or byte == 10 for byte in data)


def test_any_changed_byte_is_found_in_its_record(tmp_path):
    audit = filled(tmp_path, 2)
    path = tmp_path / NAME
    good = path.read_bytes()
    for place in range(0, len(good), 3):
        line = good[:place].count(b"\n") + 1
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        checked = audit.verify()
        if line < 4 or checked.broken is not None:
            assert checked.broken is not None, place
            assert line <= checked.broken.line <= line + 1
        else:
            assert checked.records < 4  # the last line made unreadable: seen as cut off
    path.write_bytes(good)
    assert audit.verify().broken is None


@pytest.mark.parametrize("change", ["remove", "swap", "insert"])
def test_removed_swapped_and_inserted_records_are_named(tmp_path, change):
    audit = filled(tmp_path)
    path = tmp_path / NAME
    lines = path.read_bytes().splitlines(keepends=True)
    if change == "remove":
        del lines[2]
    elif change == "swap":
        lines[2], lines[3] = lines[3], lines[2]
    else:
        lines.insert(2, lines[1])
    path.write_bytes(b"".join(lines))
    broken = audit.verify().broken
    assert broken is not None
    assert (broken.file, broken.line) == (NAME, 3)


def test_half_a_line_of_a_killed_writer_does_not_break_the_chain(tmp_path):
    audit = filled(tmp_path, 1)
    with open(audit.path, "ab") as file:
        file.write(b'{"event":"start","argv":["x"')
    audit.append({"event": "start", "run": "later"})
    checked = audit.verify()
    assert checked.broken is None
    assert (checked.records, checked.unfinished) == (3, ("later",))


def test_the_chain_goes_on_when_files_are_set_aside(tmp_path):
    audit = filled(tmp_path, 10, max_file=600)
    assert len(list(tmp_path.glob("audit.0*.jsonl"))) > 2
    assert (audit.verify().records, audit.verify().broken) == (20, None)
    first = sorted(tmp_path.glob("audit.0*.jsonl"))[0]
    first.unlink()
    assert audit.verify().broken is not None


def _append_many(folder: str) -> None:
    audit = Audit(folder, max_file=5000)
    for number in range(25):
        audit.append({"event": "note", "n": number})


def test_many_writers_make_one_chain(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(str(tmp_path),)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    checked = Audit(str(tmp_path)).verify()
    assert (checked.records, checked.broken) == (100, None)


def test_a_record_that_cannot_be_written_is_an_error_and_leaves_the_chain_whole(tmp_path):
    audit = filled(tmp_path, 1)
    with pytest.raises(ExecutionError) as failure:
        audit.append({"event": "start", "argv": ["x" * 300_000]})
    assert failure.value.code == "audit.unwritable"
    os.rename(audit.path, str(tmp_path / "elsewhere"))
    os.symlink(str(tmp_path / "elsewhere"), audit.path)
    with pytest.raises(ExecutionError):
        audit.append({"event": "start"})
    assert len((tmp_path / "elsewhere").read_bytes().splitlines()) == 2


def test_hash_covers_every_field(tmp_path):
    audit = filled(tmp_path, 1)
    path = tmp_path / NAME
    record = json.loads(path.read_bytes().splitlines()[0])
    record["added"] = True
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(json.dumps(record).encode() + b"\n" + lines[1])
    broken = audit.verify().broken
    assert broken is not None
    assert (broken.line, broken.reason) == (1, "it was changed")


def anchored(folder, runs: int = 3) -> Audit:
    return filled(folder / "data", runs, anchor=str(folder / "config/anchor.json"))


@pytest.mark.parametrize("cut", [1, 2, 5, 6])
def test_a_cut_at_the_end_is_seen(tmp_path, cut):
    audit = anchored(tmp_path)
    path = tmp_path / "data" / NAME
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-cut]))
    checked = audit.verify()
    assert checked.broken is not None and "missing" in checked.broken.reason
    assert checked.records == 6 - cut


def test_a_deleted_chain_is_seen_also_when_it_went_on(tmp_path):
    audit = anchored(tmp_path)
    os.unlink(tmp_path / "data" / NAME)
    assert audit.verify().broken is not None
    audit.append({"event": "start", "run": "later"})
    assert audit.verify().broken is not None
    audit.append({"event": "end", "run": "later"})
    assert audit.verify().broken is not None


def test_a_writer_killed_before_the_anchor_moved_is_no_cut(tmp_path):
    audit = anchored(tmp_path)
    Audit(str(tmp_path / "data")).append({"event": "start", "run": "killed"})
    assert audit.verify().broken is None
    audit.append({"event": "start", "run": "next"})
    checked = audit.verify()
    assert (checked.broken, checked.records, checked.anchored) == (None, 8, True)


def test_a_chain_from_before_the_anchor_is_taken_over(tmp_path):
    filled(tmp_path / "data")
    audit = anchored(tmp_path, 1)
    assert audit.verify().broken is None and audit.verify().records == 8
    (tmp_path / "data" / NAME).write_bytes(b"")
    assert audit.verify().broken is not None


def test_a_head_noted_elsewhere_is_held_against_a_chain_written_anew(tmp_path):
    audit = anchored(tmp_path)
    checked = audit.verify()
    head = Head(records=checked.records, last=checked.last)
    assert audit.verify([parse_head(head.to_text())]).broken is None
    os.unlink(tmp_path / "data" / NAME)
    os.unlink(tmp_path / "config/anchor.json")
    again = anchored(tmp_path)
    assert again.verify().broken is None and again.verify([head]).broken is not None


def test_an_anchor_that_cannot_be_read_is_told(tmp_path):
    audit = anchored(tmp_path)
    (tmp_path / "config/anchor.json").write_text("{")
    with pytest.raises(ExecutionError):
        audit.append({"event": "start"})
    with pytest.raises(AtipError):
        audit.verify()


def test_the_chain_goes_on_over_files_with_its_anchor(tmp_path):
    audit = Audit(str(tmp_path / "d"), anchor=str(tmp_path / "c/a"), max_file=500)
    for number in range(20):
        audit.append({"event": "start", "run": str(number)})
    assert audit.verify().broken is None and audit.verify().records == 20
    os.unlink(tmp_path / "d/audit.000001.jsonl")
    assert audit.verify().broken is not None


def test_the_subject_of_a_decision_holds_no_secret():
    token = "ghp_" + "aB3dE5gH1jK2mN4pQ6rS8tU0vW9xY7zA5cD3"
    told = redacted({"decision": "ask", "subject": f"curl -H 'X: {token}'", "reasons": [token, 1]})
    assert token not in json.dumps(told) and told["reasons"][1] == 1
    own = redacted({"subject": "psql hunter2"}, (b"hunter2",))
    assert own == {"subject": "psql [passed-value:redacted]"}
