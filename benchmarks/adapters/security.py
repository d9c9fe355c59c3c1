"""Security sets: `security.py SET DIR` runs one set of hostile data through us.

Misses are printed above; the last line is `RIGHT/TOTAL`; exit 0 only if all are right. A set is a function from
a folder to findings (case, right, note); add one to `SETS`.
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import time
import typing

from atip.errors import FormatError

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from benchmarks.adapters.security_rows import rows
from benchmarks.adapters.security_sandbox import egress_hosts, hostile_archives, sandbox_narrowing

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Findings = Iterator[tuple[str, bool, str]]


# --- argv-injection ------------------------------------------------------------------------------


def argv_injection(folder: pathlib.Path) -> Findings:
    """Templates filled with hostile values: refused, neutralised, or passed byte for byte."""
    from atip.calls.templates.template import fill
    from atip.knowledge import load

    for row in rows(folder / "cases.jsonl"):
        template, values = row["argv_template"], row["input"]
        try:
            argv: tuple[str, ...] | None = fill(template, values, tool=load(template[0]))
            note = f"built {argv!r}"[:200]
        except FormatError as error:
            argv, note = None, f"refused: {error.problems[0].code}"
        yield (
            row["id"],
            _is_right(row["expect"], argv, template, values),
            f"{row['expect']}: {note}",
        )


def _is_right(expect: str, argv: tuple[str, ...] | None, template: list[str], values: dict) -> bool:
    if expect == "refuse":
        return argv is None
    if expect == "refuse-or-neutralise":
        return argv is None or all(_is_neutral(argv, str(value)) for value in values.values())
    if argv is None or len(argv) != len(template):
        return False
    for word, built in zip(template, argv, strict=True):
        expected = word
        for name, value in values.items():
            if word == f"${{input.{name}}}":
                expected = value
        if built != expected:
            return False
    return True


def _is_neutral(argv: tuple[str, ...], value: str) -> bool:
    """After `--`, or joined to a flag."""
    for index, word in enumerate(argv):
        if word == value:
            return "--" in argv[:index]
        if word.endswith("=" + value) and word.startswith("-"):
            return True
    return False


# --- names, patterns -----------------------------------------------------------------------------


def names(folder: pathlib.Path) -> Findings:
    """Names that may become file names, and function names that are always plain."""
    from atip.calls.names import function_name
    from atip.model.text.names import why_unsafe

    for row in rows(folder / "tool-names.jsonl"):
        reason = why_unsafe(row["name"])
        made = function_name(row["name"], ())
        plain = (
            made.isascii() and made.replace("_", "a").replace("-", "a").isalnum() and len(made) < 65
        )
        right = (reason is None) == bool(row["valid"]) and plain
        yield row["id"], right, f"{row['name']!r}: {reason or 'accepted'}, function {made!r}"


def regex(folder: pathlib.Path) -> Findings:
    """A decision or a refusal within 100 ms."""
    from atip.model.text.regex import compile_regex

    compile_regex("warm-up")
    for row in rows(folder / "patterns.jsonl"):
        start = time.process_time()
        try:
            note = str(compile_regex(row["pattern"]).matches(row["subject"]))
        except FormatError as error:
            note = error.code
        spent = time.process_time() - start
        yield row["id"], spent < 0.1, f"{row['pattern'][:60]!r}: {note} in {spent * 1000:.0f} ms"


# --- documents -----------------------------------------------------------------------------------

STRICTER = {"format.duplicate-key"}
"""Codes with which our profile may refuse what JSON allows."""


def jsontestsuite(folder: pathlib.Path) -> Findings:
    """y_ accepted or refused by a documented stricter rule, n_ refused, i_ no crash and no other value."""
    from atip.model.reading.reader import read_json

    for path in sorted(folder.glob("*.json")):
        data = path.read_bytes()
        try:
            value, code = read_json(data), "accepted"
        except FormatError as error:
            value, code = None, error.code
        kind = path.name[0]
        if kind == "n":
            right = code != "accepted"
        elif code == "accepted":
            right = value == json.loads(data)
        else:
            right = kind == "i" or code in STRICTER
        yield path.name, right, code


_VISIBLE = {"␣": " ", "—": "", "»": "\t", "↵": "", "∎": "", "←": "\r", "⇔": "\ufeff"}


def yaml_test_suite(folder: pathlib.Path) -> Findings:
    """`fail: true` refused; else the JSON value or a clean refusal."""
    from ruamel.yaml import YAML

    from atip.model.reading.yaml_reader import parse_yaml

    for path in sorted(folder.glob("*.yaml")):
        before: dict = {}
        for number, row in enumerate(YAML(typ="safe", pure=True).load(path)):
            case = {**before, **row}
            if "fail" not in row:
                case.pop("fail", None)
            before = case
            text = case["yaml"][:-1] if case["yaml"].endswith("∎\n") else case["yaml"]
            for mark, meant in _VISIBLE.items():
                text = text.replace(mark, meant)
            try:
                value, code = parse_yaml(text), "accepted"
            except FormatError as error:
                value, code = None, error.code
            right = code != "accepted" or (not case.get("fail") and _same_json(case, value))
            yield f"{path.stem}-{number}", right, code


def _same_json(case: dict, value: object) -> bool:
    try:
        return value == json.loads(case["json"])
    except (KeyError, TypeError, ValueError):
        return True  # the suite gives no value for this case


BOMB = """
import resource, sys, time
from atip.errors import FormatError
from atip.model.reading.reader import read_json
from atip.model.reading.yaml_reader import parse_yaml, read_yaml, split_front_matter
import msgspec, ruamel.yaml
path = sys.argv[1]
data = open(path, "rb").read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
try:
    if path.endswith(".md"):
        parse_yaml(split_front_matter(data.decode())[0])
    else:
        (read_yaml if path.endswith(".yaml") else read_json)(data)
    code = "accepted"
except FormatError as error:
    code = error.code
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(code, time.process_time() - start, grown)
"""


def bombs(folder: pathlib.Path) -> Findings:
    """The expected reaction within 100 ms of CPU and 64 MB, without a traceback."""
    for row in json.loads((folder / "manifest.json").read_text()):
        done = subprocess.run(
            [sys.executable, "-c", BOMB, str(folder / row["file"])], capture_output=True, text=True
        )
        words = done.stdout.split()
        if done.returncode or len(words) != 3:
            yield row["file"], False, done.stderr[-200:]
            continue
        expect, refused = row["expect"], words[0] != "accepted"
        either = expect.startswith("reject or")
        right = either or refused == expect.startswith("reject")
        right = right and float(words[1]) < 0.1 and int(words[2]) < 64 * 1024
        yield row["file"], right, f"{expect}: {' '.join(words)}"


# --- text ----------------------------------------------------------------------------------------


def tool_poisoning(folder: pathlib.Path) -> Findings:
    """What a model sees of a poisoned text: clean, marked, bounded; flags and argv are what they were."""
    import atip
    from atip.model.lint.text import instructions, invisible
    from atip.session import Session

    plain = Session([atip.load(_poisoned("plain"))], "anthropic")
    caught, wrong, poisoned, benign = 0, 0, 0, 0
    for row in rows(folder / "descriptions.jsonl"):
        text = row["text"]
        session = Session([atip.load(_poisoned(text))], "anthropic")
        seen = [*_texts(session.tools), session.system_prompt]
        clean = not any(True for part in seen for _ in invisible(part))
        outside = re.sub(r"<tool-text tool=.*?</tool-text>", "", session.system_prompt, flags=re.S)
        marked = "untrusted data" in outside and text[:40] not in outside
        bounded = all(len(part) < 40_000 for part in seen)
        flags = session.tools[0]["description"].endswith("[⚠️ DESTRUCTIVE]")
        kept = row["label"] != "benign" or text in session.tools[0]["description"]
        same = _argv(session) == _argv(plain)
        suspect = instructions(text).is_suspect or any(True for _ in invisible(text))
        poisoned += row["label"] == "poisoned"
        benign += row["label"] == "benign"
        caught += row["label"] == "poisoned" and suspect
        wrong += row["label"] == "benign" and suspect
        facts = {
            "clean": clean,
            "marked": marked,
            "bounded": bounded,
            "flags": flags,
            "kept": kept,
            "argv": same,
        }
        yield (
            row["id"],
            all(facts.values()),
            ", ".join(key for key, fact in facts.items() if not fact),
        )
    print(f"wording as a hint only: recall {caught}/{poisoned}, false alarms {wrong}/{benign}")


def _poisoned(text: str) -> dict:
    option = {"name": "out", "flags": ["--out"], "type": "string", "description": text}
    command = {
        "description": text,
        "options": [option],
        "examples": [text],
        "effects": {"destructive": True},
    }
    return {
        "atip": {"version": "0.6"}, "name": "t", "version": "1", "description": text,
        "commands": {"do": command},
        "patterns": [{"name": "p", "description": text, "steps": [{"command": "t do", "description": text}]}],
    }  # fmt: skip


def _argv(session: typing.Any) -> object:
    call = {"type": "tool_use", "id": "1", "name": "t_do", "input": {"out": "x"}}
    (parsed,) = session.parse({"content": [call]})
    return parsed.argv, parsed.effects.destructive


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return []


def terminal(folder: pathlib.Path) -> Findings:
    """What reaches a terminal or a model has no character that moves, hides or reorders."""
    from atip.cli.output import clean
    from atip.codecs.providers.safety import clean_text
    from atip.model.lint.text import invisible

    for row in rows(folder / "escapes.jsonl"):
        text = bytes.fromhex(row["bytes_hex"]).decode("utf-8", "surrogateescape")
        shown, sent = clean(text), clean_text(text)
        bad = [mark.kind for part in (shown, sent) for mark in invisible(part)]
        yield row["id"], not bad and "\x1b" not in shown + sent, f"{row['why']}: {bad}"


def secrets(folder: pathlib.Path) -> Findings:
    """Secrets do not survive, whole or cut at any byte, colors removed or not; the rest is unchanged."""
    from atip.execution.redaction.redact import Redactor, redact

    colors = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
    for row in rows(folder / "synthetic.jsonl"):
        data = row["text"].encode()
        shown = redact(data).data
        same = redact(shown).data == shown
        for cut in range(len(data) + 1):
            redactor = Redactor()
            pieces = redactor.feed(data[:cut]) + redactor.feed(data[cut:]) + redactor.finish()
            same = same and pieces == shown
        text = shown.decode()
        if row["label"] == "positive":
            secret = row["secret"]
            known = redact(b"<" + data + b">", (secret.encode(),)).data.decode()
            right = (
                secret not in text and secret not in colors.sub("", text) and secret not in known
            )
        else:
            right = text == row["text"]
        yield row["id"], right and same, f"{row['kind']} in {row['context']}: {text[:120]!r}"


# --- signatures ----------------------------------------------------------------------------------

BEACON = (
    "https://github.com/sigstore-conformance/extremely-dangerous-public-oidc-beacon/"
    ".github/workflows/extremely-dangerous-oidc-beacon.yml@refs/heads/main"
)
GITHUB = "https://token.actions.githubusercontent.com"


def sigstore_bundles(folder: pathlib.Path) -> Findings:
    """One folder per case; `_fail` refused with a reason code, all others accepted."""
    from atip.trust.digests import artifact_of
    from atip.trust.expected import Key, Signer, TrustPolicy
    from atip.trust.sigstore.bundles import verify_bundle

    for case in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = {path.name: path.read_bytes() for path in case.iterdir() if path.is_file()}
        artifact = files["artifact"] if "artifact" in files else (folder / "a.txt").read_bytes()
        identity = files.get("identity", BEACON.encode()).decode().strip()
        issuer = files.get("issuer", GITHUB.encode()).decode().strip()
        keys = tuple(Key(type="cosign", data=files[name]) for name in files if name == "key.pub")
        signers = () if keys else (Signer(identity=identity, issuer=issuer),)
        root = files.get("trusted_root.json")
        policy = TrustPolicy(signers=signers, keys=keys, trusted_root=root, require_log=True)
        check = verify_bundle(files["bundle.sigstore.json"], artifact_of(artifact), policy)
        good = check.outcome == "passed"
        right = good != case.name.endswith("_fail") and (good or check.code != "")
        yield case.name, right, f"{check.outcome} {check.code}"


SETS: dict[str, Callable[[pathlib.Path], Findings]] = {
    "argv-injection": argv_injection,
    "names": names,
    "regex": regex,
    "jsontestsuite": jsontestsuite,
    "yaml-test-suite": yaml_test_suite,
    "bombs": bombs,
    "tool-poisoning": tool_poisoning,
    "terminal": terminal,
    "sigstore-bundles": sigstore_bundles,
    "secrets": secrets,
    "egress-hosts": egress_hosts,
    "sandbox-narrowing": sandbox_narrowing,
    "hostile-archives": hostile_archives,
}


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in SETS:
        print(f"usage: security.py SET DIR\nsets: {', '.join(SETS)}", file=sys.stderr)
        return 2
    right = total = 0
    for case, is_right, note in SETS[sys.argv[1]](pathlib.Path(sys.argv[2])):
        total += 1
        right += is_right
        if not is_right:
            print(f"{case}: {note}".encode("utf-8", "backslashreplace").decode())
    print(f"{right}/{total}")
    return 0 if total and right == total else 1


if __name__ == "__main__":
    sys.exit(main())
