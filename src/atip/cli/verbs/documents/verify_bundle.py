"""Verify one Sigstore bundle: the command protocol of the public sigstore-conformance suite.

Exit 0 when the bundle verifies for FILE (or `sha256:DIGEST`) and the given identity or key, else 1 with the reason.
For interactive use see `atip verify`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.model.text.digest import Digest
    from atip.trust.expected import TrustPolicy

EFFECTS = {"filesystem": {"read": True}}
EXAMPLES = ("atip verify-bundle --bundle a.txt.sigstore.json --key key.pub a.txt",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--staging", action="store_true", help="trust the staging instance")
    parser.add_argument("--bundle", required=True, metavar="FILE", help="Sigstore bundle")
    parser.add_argument("--certificate-identity", default="", help="who must have signed")
    parser.add_argument("--certificate-oidc-issuer", default="", help="issuer of that identity")
    parser.add_argument(
        "--key", default="", metavar="FILE", help="public key that must have signed"
    )
    parser.add_argument("--trusted-root", default="", metavar="FILE", help="trusted root")
    parser.add_argument("subject", metavar="FILE_OR_DIGEST", help="file, or sha256:DIGEST")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import clean
    from atip.system.files import read_bytes
    from atip.trust.digests import artifact_of
    from atip.trust.options import MAX_SIDECAR
    from atip.trust.sigstore.bundles import verify_bundle

    bundle = read_bytes(options.bundle, MAX_SIDECAR)
    check = verify_bundle(bundle, artifact_of(_subject(options.subject)), _policy(options))
    if ctx.as_json:
        steps = [step.to_json(number) for number, step in enumerate(check.steps, 1)]
        ctx.emit({"outcome": check.outcome, "code": check.code, "steps": steps})
    elif check.code:
        ctx.note(f"{check.code}: {clean(check.steps[-1].message)}")
    return 0 if check.outcome == "passed" else 1


def _subject(text: str) -> bytes | Digest:
    import os

    from atip.model.text.digest import find_digest
    from atip.system.files import read_bytes
    from atip.trust.options import MAX_FILE

    digest = find_digest(text)
    if digest is not None and not os.path.exists(text):
        return digest
    return read_bytes(text, MAX_FILE)


def _policy(options: argparse.Namespace) -> TrustPolicy:
    from atip.system.files import read_bytes
    from atip.trust.expected import Key, Signer, TrustPolicy
    from atip.trust.options import MAX_SIDECAR
    from atip.trust.sigstore.bundles import STAGING, embedded_root

    root = embedded_root(STAGING) if options.staging else None
    if options.trusted_root:
        root = read_bytes(options.trusted_root, MAX_SIDECAR)
    if options.key:
        key = Key(type="cosign", data=read_bytes(options.key, MAX_SIDECAR))
        return TrustPolicy(keys=(key,), trusted_root=root, require_log=True)
    issuer = options.certificate_oidc_issuer
    signer = Signer(identity=options.certificate_identity, issuer=issuer)
    signers = (signer,) if signer.identity and signer.issuer else ()
    return TrustPolicy(signers=signers, trusted_root=root, require_log=True)
