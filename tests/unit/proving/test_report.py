"""The report counts what the tally counts, and says what is open."""

from __future__ import annotations

from atip.crawler.proof.report import render_report, summary_of
from atip.proving.tally import tally

ROW = {
    "argv": ["cp", "text.txt", "new.txt"], "exit": 0, "worked": True, "timedOut": False, "lost": False,
    "seen": {"filesystem.read": ["/desk/text.txt"], "filesystem.write": ["/desk/new.txt"]},
    "calls": {"filesystem.write": ["openat"]},
}  # fmt: skip
LIE = {**ROW, "seen": {**ROW["seen"], "network": ["www.example.org:443"]}}  # type: ignore[dict-item]


def report(*rows: dict[str, object]) -> str:
    result = {"name": "cp", "source": "local", "cases": list(rows)}
    found = tally([result], {"cp": result})
    summary = {**summary_of(found, 0, len(rows), 0), "starts": 1, "verified": 0}
    return render_report(found, summary, {"local": 2, "apt": 1})


def test_a_report_names_sources_and_numbers() -> None:
    text = report(ROW)
    assert "| tools tried | 3 (2 installed, 1 from packages) |" in text
    assert "| tools with a proof | 1 |" in text
    assert "| disproofs | 0: 0 explained, 0 open |" in text
    assert "## Open" not in text


def test_a_lie_is_open_until_it_is_resolved() -> None:
    text = report(LIE)
    assert "| tools with a proof | 0 |" in text
    assert "| disproofs | 1: 0 explained, 1 open |" in text
    assert "- `cp text.txt new.txt`: network (www.example.org:443)" in text
