"""vectors.py SET DIR: run conformance data of the shape of `vectors/SET`; misses, then `RIGHT/TOTAL`.

Sets: `aip29`, `atip`, `atm`, `cmp`.
"""

from __future__ import annotations

import json
import pathlib
import sys
import typing

import atip

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

    Case = tuple[str, bool, str]


def atip_cases(folder: pathlib.Path) -> Iterator[Case]:
    """(name, right, why) for verdicts, lint and diff."""
    yield from _verdicts(folder)
    yield from _lint(folder / "lint")
    yield from _diffs(folder / "diff")


def _verdicts(folder: pathlib.Path) -> Iterator[Case]:
    from atip.errors import FormatError
    from atip.model.reading.documents import judge
    from atip.model.reading.reader import read_json

    for name, expected in json.loads((folder / "verdicts.json").read_text()).items():
        try:
            value = read_json((folder / name).read_bytes())
        except FormatError as error:
            yield f"verdict {name}", expected.get("json") is False, str(error)
            continue
        judged = judge(value, kind="metadata", mode="schema")
        yield f"verdict {name}", judged.is_valid is expected.get("valid"), str(judged.problems[:2])


def _lint(folder: pathlib.Path) -> Iterator[Case]:
    """Everything that the reference finds, we find: same rule, same place."""
    from atip.model.lint.linter import lint

    for path in sorted((folder / "reference-output").glob("*.json")):
        for result in json.loads(path.read_text())["results"]:
            source = folder / "inputs" / result["filePath"]
            if not source.exists():
                continue
            found = {
                (one.rule, tuple(map(str, one.parts)))
                for one in lint(json.loads(source.read_text()))
            }
            wanted = {
                (one["ruleId"], tuple(map(str, one.get("jsonPath", ()))))
                for one in result["messages"]
            }
            yield (
                f"lint {result['filePath']}",
                wanted <= found,
                str(sorted(map(str, wanted - found))[:3]),
            )


def _diffs(folder: pathlib.Path) -> Iterator[Case]:
    """The advice of the reference, or a stricter one: it does not see every breaking change."""
    ranks = ["none", "patch", "minor", "major"]
    for path in sorted((folder / "reference-output").glob("*.json")):
        old, _, new = path.stem.partition("--")
        before = folder / "inputs" / "base" / f"{old}.json"
        group, _, rest = new.partition("-")
        candidates = [
            folder / "inputs" / group / f"{rest}.json",
            folder / "inputs" / "non-breaking" / f"{new.removeprefix('non-breaking-')}.json",
        ]
        after = next((one for one in candidates if one.exists()), None)
        if after is None or not before.exists():
            continue
        expected = json.loads(path.read_text())
        wanted = expected.get("semverRecommendation", "none")
        found = atip.diff(before, after).semver
        yield (
            f"diff {path.stem}",
            ranks.index(found) >= ranks.index(str(wanted)),
            f"{found}, reference {wanted}",
        )


def aip29_cases(folder: pathlib.Path) -> Iterator[Case]:
    """See vectors_aip29.py."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    from vectors_aip29 import cases

    yield from cases(folder)


def cmp_cases(folder: pathlib.Path) -> Iterator[Case]:
    """Documents, parameter types, and every pattern to its own intent. A folder with `cmp/` is a tool."""
    from atip.calls.templates.cmp import Param, coerce

    for path in sorted(folder.glob("**/param-types.json")):
        for row in json.loads(path.read_text()):
            try:
                found = coerce(Param(name="x", type=row["type"]), row["value"])
                right = row["valid"] and found == row.get("coerced", row["value"])
            except ValueError as error:
                found, right = error, not row["valid"]
            yield f"type {row['type']} {json.dumps(row['value'])}", right, str(found)
    for path in sorted(
        [*folder.glob("**/cmp/manifest.json"), *folder.glob("**/.cmp/manifest.json")]
    ):
        yield from _cmp_tool(path.parent)


def _cmp_tool(folder: pathlib.Path) -> Iterator[Case]:
    from atip.codecs.cmp import codec as cmp
    from atip.codecs.cmp.document import Reader
    from atip.search.intents import Candidate, match
    from atip.search.lexicon import Lexicon

    names = ("manifest", "capability", "examples")
    files = {name: folder / f"{name}.json" for name in names}
    documents = {n: json.loads(path.read_text()) for n, path in files.items() if path.exists()}
    name = folder.parent.name
    problems = cmp.problems_of(documents)
    yield f"{name} is valid", not [p for p in problems if p.severity == "error"], str(problems[:2])
    encoded = cmp.encode(cmp.decode(documents).tool)
    yield f"{name} comes back", encoded.data == documents and not encoded.losses, ""
    intents = Reader().intents(documents["capability"])
    candidates = [Candidate(tool=name, number=n, intent=one) for n, one in enumerate(intents)]
    for number, intent in enumerate(intents):
        for pattern in (p for p in intent.patterns if not p.startswith("re:")):
            found = match(pattern, candidates, Lexicon())
            right = found.chosen is not None and found.chosen.candidate.number == number
            yield f"{name} {pattern!r}", right, found.reason
    for example in documents.get("examples", {}).get("examples", ()):
        invocation = example.get("invocation", {})
        found = match(str(invocation.get("want", "")), candidates, Lexicon())
        right = found.chosen is not None and _fits(found.chosen.candidate.intent, invocation)
        yield f"{name} example {example.get('intent')!r}", right, found.reason


def _fits(intent: typing.Any, invocation: dict[str, typing.Any]) -> bool:
    """Whether the values of an example can be put into the command."""
    from atip.calls.templates.cmp import build_argv
    from atip.errors import FormatError

    try:
        return bool(build_argv(intent, invocation.get("context", {})))
    except FormatError:
        return False


def atm_cases(folder: pathlib.Path) -> Iterator[Case]:
    """See vectors_atm.py."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    from vectors_atm import cases

    for name, right in cases(folder):
        yield name, right, ""


SETS = {"aip29": aip29_cases, "atip": atip_cases, "atm": atm_cases, "cmp": cmp_cases}


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in SETS:
        print(f"usage: vectors.py {'|'.join(SETS)} DIR", file=sys.stderr)
        return 2
    cases = list(SETS[sys.argv[1]](pathlib.Path(sys.argv[2])))
    for name, right, why in cases:
        if not right:
            print(f"MISS {name}: {why}")
    good = sum(right for _, right, _ in cases)
    print(f"{good}/{len(cases)}")
    return 0 if good == len(cases) else 1


if __name__ == "__main__":
    raise SystemExit(main())
