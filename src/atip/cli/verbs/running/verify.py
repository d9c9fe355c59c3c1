"""Verify a tool or a file: checksum, description, signature, provenance, step by step.

TOOL is a known tool or a name on the PATH; FILE is anything. Signatures and attestations are read from files beside
it (`FILE.sigstore.json`, `.bundle`, `.minisig`, `.asc`, `.intoto.jsonl` …) or from the options. Trusted signers come from
`trust.json`, from the registry's configuration or from the options, never from the document. A description that came from
a registry is checked with its signature. Exit 0 only when everything is verified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.model.tool import Tool
    from atip.model.verdict import Verdict

EFFECTS = {"filesystem": {"read": True}}
EXAMPLES = (
    "atip verify gh",
    "atip verify shim.json --key maintainers.pub --type minisign",
    "atip verify tool.tgz --identity me@example.com --issuer https://accounts.google.com",
)
_STYLES = {"passed": "green", "failed": "red", "unchecked": "yellow", "absent": "dim"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subject", metavar="TOOL|FILE", help="known tool, name on the PATH, or file"
    )
    parser.add_argument("--signature", "--bundle", default="", metavar="FILE", help="signature")
    parser.add_argument(
        "--type", default="", choices=("cosign", "minisign", "gpg"), help="kind of signature or key"
    )
    parser.add_argument("--provenance", default="", metavar="FILE", help="attestation document")
    parser.add_argument("--identity", default="", help="certificate identity that must have signed")
    parser.add_argument("--issuer", default="", help="issuer of that identity")
    parser.add_argument(
        "--key", default="", metavar="FILE", help="public key that must have signed"
    )
    parser.add_argument(
        "--fetch", action="store_true", help="fetch the attestation that the description names"
    )
    parser.add_argument("--trusted-root", default="", metavar="FILE", help="Sigstore trusted root")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.errors import UsageError
    from atip.model.verdict import TrustLevel
    from atip.trust.options import VerifyOptions

    if bool(options.identity) != bool(options.issuer):
        hint = "an identity needs its issuer"
        raise UsageError("cli.usage", "give `--identity` and `--issuer` together", hint=hint)
    path, tool = _find(options.subject, ctx)
    verify_options = VerifyOptions(
        signature=options.signature,
        signature_kind=options.type,
        provenance=options.provenance,
        identity=options.identity,
        issuer=options.issuer,
        key=options.key,
        trusted_root=options.trusted_root,
        fetch=options.fetch,
    )
    verdict = ctx.app.verify_file(path, tool=tool, options=verify_options)
    claimed = tool.trust.source if tool is not None and tool.trust is not None else None
    if ctx.as_json:
        ctx.emit({"file": path, **verdict.to_json(), "claimedSource": claimed})
    else:
        _print(ctx, path, verdict, claimed)
    return 0 if verdict.level is TrustLevel.VERIFIED else 1


def _find(subject: str, ctx: Context) -> tuple[str, Tool | None]:
    """A path and its stored metadata; nothing is scanned or executed."""
    import os

    from atip.model.reading.decode import decode_tool

    entry = None if os.sep in subject else ctx.app.store.find(subject)
    if entry is not None:
        document = ctx.app.store.load_metadata(subject, entry)
        return str(entry["path"]), decode_tool(document).replace(name=subject)
    if os.path.isfile(subject):
        return os.path.abspath(subject), None
    return ctx.app.locate(subject), None


def _print(ctx: Context, path: str, verdict: Verdict, claimed: str | None) -> None:
    from atip.cli.output import clean, paint
    from atip.model.verdict import TrustLevel
    from atip.trust.procedure import CLAIMED_RATINGS

    ctx.print(clean(path))
    width = max((len(step.name) for step in verdict.steps), default=0)
    for number, step in enumerate(verdict.steps, 1):
        word = paint(ctx, step.outcome.ljust(9), _STYLES[step.outcome])
        reason = f" [{step.code}]" if step.code else ""
        text = f"{number:>4} {step.name.ljust(width)}  {word} {clean(step.message)}{reason}"
        ctx.print(text.rstrip())
    good = verdict.level is TrustLevel.VERIFIED
    level = paint(ctx, verdict.level.name, "green" if good else "red")
    ctx.print(f"security: {level}, recommended: {verdict.recommendation}")
    if verdict.signer:
        ctx.print(f"signed by: {clean(verdict.signer)}")
    if verdict.slsa_level:
        ctx.print(f"provenance: SLSA level {verdict.slsa_level}, from {clean(verdict.source)}")
    ctx.print(f"capability: description {verdict.capability}")
    if claimed:
        rating = CLAIMED_RATINGS.get(claimed, "none")
        ctx.print(f"claimed source: {clean(claimed)} (rates itself {rating}; not verified)")
