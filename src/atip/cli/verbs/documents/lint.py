"""Find what is unwise, contradictory or poisoned in metadata.

Goes beyond `validate`: effects that contradict a command's name, flags that mean two things, examples
that cannot work, claims without evidence, hidden characters, sentences that give orders to a model.
Exits 1 when there are errors, or more warnings than --max-warnings. --fix makes safe, mechanical
repairs in place and never adds a claim of safety.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from atip.cli.context import Context
    from atip.cli.rendering.lint import LintedFile
    from atip.model.lint.findings import LintFacts, LintFinding
    from atip.model.lint.linter import LintConfig
    from atip.model.problems import Problem

EFFECTS = {
    "filesystem": {"write": True},
    "interactive": {"stdin": "optional", "prompts": False, "tty": False},
}
EXAMPLES = (
    "atip lint tool.json",
    "atip lint --preset strict --format sarif shims/",
    "atip lint --rule consistent-naming=off --fix tool.json",
)
_ROUNDS = 5
"""One repair may enable another; five rounds are more than any two rules need."""


def configure(parser: argparse.ArgumentParser) -> None:
    from atip.cli.quick import natural

    parser.add_argument("files", nargs="*", metavar="FILE", help="file, directory, glob, or -")
    parser.add_argument("--preset", help="minimal, recommended (default) or strict")
    parser.add_argument("--config", metavar="FILE", help="JSON with `extends` and `rules`")
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="RULE=LEVEL",
        help="set one rule to off, info, warn or error (repeatable)",
    )
    parser.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", help="form of the result"
    )
    parser.add_argument("--fix", action="store_true", help="repair files in place where safe")
    parser.add_argument(
        "--check-binary",
        action="store_true",
        help="check whether the program is installed and is the described one; runs nothing",
    )
    parser.add_argument(
        "--max-warnings", type=natural, metavar="N", help="exit 1 above this number"
    )
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    parser.add_argument("--rules", action="store_true", help="list the rules and exit")


def run(options: argparse.Namespace, ctx: Context) -> int:
    if options.rules:
        _list_rules(ctx)
        return 0
    from atip.cli.documents import expand

    config = _config(options)
    results = [_lint(name, config, options, ctx) for name in expand(options.files)]
    _print(results, options, ctx)
    errors = sum(result.number_of("error") for result in results)
    warnings = sum(result.number_of("warning") for result in results)
    too_many = options.max_warnings is not None and warnings > options.max_warnings
    return 1 if errors or too_many else 0


def _config(options: argparse.Namespace) -> LintConfig:
    from atip.model.lint.config import RECOMMENDED, decode_config, preset, with_rule

    config = RECOMMENDED
    if options.config:
        from atip.cli.documents import load_bytes, parse

        config = decode_config(parse(options.config, load_bytes(options.config)))
    if options.preset:
        config = config.replace(preset=preset(options.preset).preset)
    for text in options.rule:
        config = with_rule(config, text)
    return config


def _lint(name: str, config: LintConfig, options: argparse.Namespace, ctx: Context) -> LintedFile:
    from atip.cli.documents import load_bytes, parse
    from atip.cli.rendering.lint import LintedFile
    from atip.errors import FormatError
    from atip.model.lint.linter import lint

    data = load_bytes(name)
    try:
        document = parse(name, data)
    except FormatError as error:
        return LintedFile(file=name, findings=_unreadable(error))
    cmp_findings = _cmp_findings(name, document)
    if cmp_findings is not None:
        return LintedFile(file=name, findings=cmp_findings)
    if not isinstance(document, dict):
        return LintedFile(file=name, findings=_unreadable(None))
    facts = _facts(document, ctx) if options.check_binary else None
    findings = lint(document, config=config, facts=facts)
    if name.endswith((".yaml", ".yml")):
        return LintedFile(file=name, findings=findings)
    from atip.model.reading.positions import Positions

    positions = Positions(data.decode())
    result = LintedFile(file=name, findings=findings, positions=positions)
    if options.fix and name != "-":
        return _fix(result, config, facts)
    return result


def _cmp_findings(name: str, document: object) -> tuple[LintFinding, ...] | None:
    """Findings of a CMP document; None for any other."""
    from atip.cli.documents import tool_folder
    from atip.codecs.cmp.check import cmp_kind, judge_document

    if cmp_kind(document) is None:
        return None
    report = judge_document(document, folder=tool_folder(name))
    coded = (
        problem.replace(message=f"{problem.message} [{problem.code}]")
        for problem in report.problems
    )
    return _as_findings(coded)


def _fix(result: LintedFile, config: LintConfig, facts: LintFacts | None) -> LintedFile:
    """Repair, lint again, until nothing more can be repaired; then write once."""
    from atip.model.lint.fix import fixed_text
    from atip.model.lint.linter import lint
    from atip.model.reading.positions import Positions
    from atip.model.reading.reader import read_json

    original = result
    for _round in range(_ROUNDS):
        positions = result.positions
        text = fixed_text(positions, result.findings) if positions is not None else ""
        if positions is None or text == positions.text:
            break
        document: Any = read_json(text.encode())
        findings = lint(document, config=config, facts=facts)
        result = result.replace(findings=findings, positions=Positions(text))
    if result is not original and result.positions is not None:
        import os

        from atip.system.files import write_atomic

        mode = os.stat(result.file).st_mode & 0o777
        write_atomic(os.path.realpath(result.file), result.positions.text.encode(), mode=mode)
    return result.replace(fixed=max(0, len(original.findings) - len(result.findings)))


def _unreadable(error: Any) -> tuple[Any, ...]:
    from atip.model.lint.linter import LintFinding

    if error is None or not error.problems:
        text = error.message if error is not None else "not a metadata object"
        return (
            LintFinding(rule="valid-document", severity="error", parts=(), path="$", message=text),
        )
    return _as_findings(error.problems)


def _as_findings(problems: Iterable[Problem]) -> tuple[LintFinding, ...]:
    """Problems of the document itself, as findings of one rule."""
    from atip.model.lint.findings import LintFinding
    from atip.model.reading.positions import parse_path

    return tuple(
        LintFinding(
            rule="valid-document",
            severity=problem.severity,
            parts=parse_path(problem.path),
            path=problem.path,
            message=problem.message,
            hint=problem.hint,
        )
        for problem in problems
    )


def _facts(document: dict[str, Any], ctx: Context) -> LintFacts:
    """Facts about the binary, without running it."""
    import hashlib
    import shutil

    from atip.model.lint.findings import LintFacts
    from atip.model.lint.index import DocumentIndex

    path = shutil.which(DocumentIndex(document).name) if DocumentIndex(document).name else None
    if path is None:
        return LintFacts(binary_exists=False)
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    observations = ctx.app.proof.rows(DocumentIndex(document).name, path)
    disproved = tuple(
        (observation.fact, observation.line)
        for observation in observations
        if observation.verdict == "undeclared" and observation.own
    )
    return LintFacts(
        binary_exists=True, binary_path=path, binary_hash=f"sha256:{digest}", disproved=disproved
    )


def _print(results: list[LintedFile], options: argparse.Namespace, ctx: Context) -> None:
    from atip.cli.rendering import lint as render_lint

    if options.format == "sarif":
        from atip.version import __version__

        ctx.emit(render_lint.render_sarif(results, __version__))
    elif ctx.as_json or options.format == "json":
        ctx.emit(render_lint.render_json(results))
    else:
        for line in render_lint.render_text(results, ctx, quiet=options.quiet):
            ctx.print(line)


def _list_rules(ctx: Context) -> None:
    from atip.model.lint.rules.table import PRESETS, RULES

    if ctx.as_json:
        described = {
            name: {
                "category": rule.category,
                "summary": rule.summary,
                "fixable": rule.fixable,
                "options": dict(rule.options),
                **{
                    preset: level or "off"
                    for preset, level in zip(PRESETS, rule.levels, strict=True)
                },
            }
            for name, rule in RULES.items()
        }
        ctx.emit({"rules": described})
        return
    from atip.cli.output import table, width_of

    rows = [(name, rule.levels[1] or "off", rule.summary) for name, rule in RULES.items()]
    for line in table(rows, indent="", width=max(width_of(ctx), 120)):
        ctx.print(line)
