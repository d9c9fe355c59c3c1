"""`python -m atip.sdk.check ./mytool`: what an author's tool still lacks, in plain words, and a score.

RUNS THE TOOL, several times, with your rights and without a sandbox: it is meant for a program of your
own. For a program of another author, use `atip probe`. It is started with `--help`, `--agent`,
`--agent --depth=1` and `--agent --commands=…`, in an empty directory that is also its HOME, and ended
after ten seconds. The only module of the SDK that starts programs or makes files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from .readiness import ToolObservations, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .readiness import Document, Finding

TIMEOUT_S = 10.0
MAX_BYTES = 8_000_000
SHOWN = 12


def main(words: Sequence[str] | None = None) -> int:
    """Check one tool; 0 when it answers properly, 1 when not, 2 for a wrong command line."""
    import argparse

    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}",
        description="Run your tool and report what an agent would miss.",
    )
    parser.add_argument("tool", help="path or name of the program; it is executed")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(words)
    path = _locate(options.tool)
    if path is None:
        print(f"error: no executable `{options.tool}`", file=sys.stderr)
        return 2
    seen = observe(path)
    score, findings = judge(seen)
    if options.json:
        report = {
            "tool": path,
            "score": score,
            "answers": seen.document is not None,
            "findings": [finding.to_json() for finding in findings],
        }
        print(json.dumps(report, indent=2))
    else:
        text = _text(os.path.basename(path), score, findings)
        encoding = sys.stdout.encoding or "utf-8"  # a terminal may not have our arrows
        print(text.encode(encoding, "replace").decode(encoding))
    return 0 if seen.document is not None else 1


def observe(path: str) -> ToolObservations:
    """Run the tool and note what it does."""
    seen = ToolObservations()
    seen.expected_name = os.path.basename(path)
    with tempfile.TemporaryDirectory(prefix="atip-check-") as folder:
        helped = _run([path, "--help"], folder)
        seen.help_mentions = b"--agent" in helped.stdout + helped.stderr
        for name in os.listdir(folder):
            _remove(os.path.join(folder, name))
        began = time.monotonic()
        answer = _run([path, "--agent"], folder)
        seen.seconds = time.monotonic() - began
        seen.left_files = sorted(os.listdir(folder))
        seen.document, seen.failure = _document(answer)
        seen.crashed = b"Traceback" in answer.stderr
        if seen.document is not None:
            seen.partial_failure = _partial_failure(path, seen.document, folder)
    return seen


def _partial_failure(path: str, document: Document, folder: str) -> str:
    """Describe the first failure of `--depth` and `--commands`; empty when both work."""
    questions = ["--depth=1"]
    questions += [f"--commands={name}" for name in list(document.get("commands") or {})[:1] if name]
    for question in questions:
        part, failure = _document(_run([path, "--agent", question], folder))
        if part is None:
            return f"`--agent {question}`: {failure}"
        for field in ("partial", "filter", "totalCommands", "includedCommands", "omitted"):
            if field not in part:
                return f"`--agent {question}` ignores the question: no `{field}`"
    return ""


class _ProgramRun:
    """Output of one run; `code` is None when it was ended for taking too long."""

    def __init__(self, code: int | None, stdout: bytes, stderr: bytes) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr


def _run(argv: list[str], folder: str) -> _ProgramRun:
    environment = {**os.environ, "HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        environment[name] = os.path.join(folder, name.lower())
    try:
        process = subprocess.run(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _ProgramRun(None, b"", b"")
    except OSError as error:
        return _ProgramRun(127, b"", str(error).encode())
    return _ProgramRun(process.returncode, process.stdout[:MAX_BYTES], process.stderr[:MAX_BYTES])


def _document(ran: _ProgramRun) -> tuple[Document | None, str]:
    """The answer, or why it is none."""
    if ran.code is None:
        return None, f"it did not end within {TIMEOUT_S:.0f} s"
    if ran.code != 0:
        last = ran.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return None, f"it ended with status {ran.code}" + (f": {last[0][:200]}" if last else "")
    try:
        value: Any = json.loads(ran.stdout.decode("utf-8"))
    except UnicodeDecodeError:
        return None, "its output is not UTF-8"
    except ValueError as error:
        return None, f"its output is not JSON: {error}"
    if not isinstance(value, dict) or "atip" not in value:
        return None, "it printed JSON without an `atip` field: not ATIP metadata"
    return value, ""


def _text(name: str, score: int, findings: list[Finding]) -> str:
    lines = [f"{name}: {score} of 100"]
    if not findings:
        lines.append("nothing is missing")
    advice = ""
    for finding in findings[:SHOWN]:
        if advice and finding.advice != advice:
            lines.append(f"    → {advice}")
        advice = finding.advice
        lines.append(f"  - {finding.message}")
    if advice:
        lines.append(f"    → {advice}")
    if len(findings) > SHOWN:
        lines.append(f"  … and {len(findings) - SHOWN} more; --json shows all")
    return "\n".join(lines)


def _locate(tool: str) -> str | None:
    import shutil

    program = shutil.which(tool if os.sep not in tool else os.path.abspath(tool))
    return os.path.abspath(program) if program else None


def _remove(path: str) -> None:
    import shutil

    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


if __name__ == "__main__":
    raise SystemExit(main())
