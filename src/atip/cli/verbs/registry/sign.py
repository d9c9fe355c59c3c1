"""Sign shims, refresh a registry's metadata, or replace its keys.

Without further options every shim of DIR that has no signature gets one beside it: with --key (PEM or minisign), with
an identity (--sigstore, where a token is available), else with the key in the key folder, created if missing. Inferred
shims are signed only with --inferred, by a separate key. --refresh, --renew-root and --rotate sign metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.registry.publish.signing.shim_signing import Sign

EFFECTS = {
    "filesystem": {"read": True, "write": True, "delete": False},
    "network": True,
    "reversible": True,
}
EXAMPLES = (
    "atip registry sign registry --key maintainer.key",
    "atip registry sign registry --sigstore",
    "atip registry sign registry --refresh",
    "atip registry sign registry --rotate timestamp",
)
_ROLES = ("root", "targets", "bins", "snapshot", "timestamp")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder of contributions")
    parser.add_argument("shims", nargs="*", metavar="HASH", help="only these shims")
    parser.add_argument("--key", default="", metavar="FILE", help="private key: PEM or minisign")
    parser.add_argument("--sigstore", action="store_true", help="with an identity token (OIDC)")
    parser.add_argument(
        "--token-env", default="SIGSTORE_ID_TOKEN", metavar="VARIABLE", help="holds the token"
    )
    parser.add_argument("--inferred", action="store_true", help="sign only inferred shims")
    parser.add_argument(
        "--again", action="store_true", help="also sign shims that have a signature"
    )
    parser.add_argument("--refresh", action="store_true", help="a fresh timestamp")
    parser.add_argument("--renew-root", action="store_true", help="a new root with the same keys")
    parser.add_argument("--rotate", default="", choices=_ROLES, help="new keys for a role")
    parser.add_argument(
        "--to", default="", metavar="PLACE", help="where it is published (DIR/public)"
    )
    parser.add_argument("--keys", default="", metavar="DIR", help="folder of signing keys")
    parser.add_argument("--release", default=None, metavar="TIME", help="time of signing (now)")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.errors import UsageError

    metadata = options.refresh or options.renew_root or options.rotate
    shims = options.key or options.sigstore or options.inferred or options.again or options.shims
    if metadata and shims:
        raise UsageError("cli.usage", "sign shims or metadata, not both at once")
    return _sign_metadata(options, ctx) if metadata else _sign_shims(options, ctx)


def _sign_metadata(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.groups.publishing import order_of
    from atip.cli.output import clean
    from atip.registry.publish.signing.resign import resign

    report = resign(order_of(options, ctx), rotate=options.rotate, renew_root=options.renew_root)
    if ctx.as_json:
        ctx.emit(report.to_json())
        return 0
    ctx.print(f"{clean(report.place)}: timestamp {report.timestamp}, valid until {report.expires}")
    if report.rotated:
        ctx.print(f"new keys for {report.rotated}; root {report.root}")
    return 0


def _sign_shims(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.output import count
    from atip.registry.publish.signing.shim_signing import sign_shims

    only = [shim.removeprefix("sha256:") for shim in options.shims]
    report = sign_shims(
        options.folder,
        _signer(options, ctx),
        inferred=options.inferred,
        again=options.again,
        only=only,
    )
    if ctx.as_json:
        ctx.emit(report.to_json())
        return 0
    ctx.print(
        f"{count(len(report.signed), 'shim')} signed, {report.already_signed} had a signature"
    )
    if report.skipped:
        kind = "are not inferred" if options.inferred else "are inferred: see --inferred"
        ctx.note(f"{len(report.skipped)} left out, they {kind}")
    return 0


def _signer(options: argparse.Namespace, ctx: Context) -> Sign:
    from atip.cli.groups.publishing import key_folder
    from atip.registry.publish.signing.shim_signing import default_key, key_signer, sigstore_signer

    if options.sigstore:
        return sigstore_signer(options.token_env)
    path = options.key or default_key(key_folder(options, ctx), inferred=options.inferred)
    return key_signer(path)
