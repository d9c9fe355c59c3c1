"""Add a remote registry: show its identity and pin it.

A registry with a signed index (TUF) is pinned by the fingerprint of its first root: compare it with what its owner
publishes, or give it with --fingerprint. Signers that the registry lists are shown and pinned with it; later answers
change neither. Without a signed index, outdated answers cannot be detected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.registry.remote.configuring import AddRequest, RegistryPreview

EFFECTS = {"network": True, "filesystem": {"read": True, "write": True, "delete": False}}
EXAMPLES = (
    "atip registry add https://atip.dev --fingerprint sha256:…",
    "atip registry add https://atip.internal.example --priority 50 --token-env TOKEN --organization",
    "atip registry add https://shims.example --key minisign maintainers.pub --require-signatures",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="base address, https")
    parser.add_argument("--name", default="", help="local name (default: the registry's own name)")
    parser.add_argument("--priority", type=int, default=100, help="lower is queried first (100)")
    parser.add_argument(
        "--fingerprint", default="", metavar="SHA256", help="of its root, as its owner published it"
    )
    parser.add_argument("--root", default="", metavar="FILE", help="its root, obtained out of band")
    parser.add_argument(
        "--require-signatures", action="store_true", help="refuse shims that are not signed"
    )
    parser.add_argument(
        "--signer",
        nargs=2,
        action="append",
        default=[],
        metavar=("IDENTITY", "ISSUER"),
        help="trusted signer (instead of those it lists)",
    )
    parser.add_argument(
        "--key",
        nargs=2,
        action="append",
        default=[],
        metavar=("TYPE", "FILE"),
        help="trusted public key; TYPE is cosign, minisign or gpg",
    )
    parser.add_argument(
        "--token-env", default="", metavar="VARIABLE", help="variable with its token"
    )
    parser.add_argument(
        "--only-for",
        default="",
        metavar="NAMES",
        help="tools that only this registry may describe: a,b",
    )
    parser.add_argument(
        "--lookup",
        default="",
        choices=("catalog", "hash"),
        help="without signed index: through its catalogue, or hash by hash (reveals what is installed)",
    )
    parser.add_argument(
        "--private", action="store_true", help="its addresses are private; connect anyway"
    )
    parser.add_argument(
        "--organization", action="store_true", help="apply its policy.json on this machine"
    )
    parser.add_argument(
        "--unsafe-unsigned",
        action="store_true",
        help="add it without asking although its answers are not signed",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.registry.remote.configuring import add_registry, preview_registry

    places = ctx.app.places
    preview = preview_registry(_add_request(options), places, offline=ctx.app.offline)
    if not ctx.as_json:
        _print(ctx, preview)
    if not _is_confirmed(options, ctx, preview):
        ctx.note("not added")
        return 1
    entry = add_registry(preview, places, adopt_signers=True)
    if ctx.as_json:
        ctx.emit({"added": entry})
    else:
        if entry.get("organization"):
            ctx.print("its policy is now in force")
        ctx.print("added; `atip registry sync` looks up the tools of this machine")
    return 0


def _add_request(options: argparse.Namespace) -> AddRequest:
    from atip.registry.remote.configuring import AddRequest

    return AddRequest(
        url=options.url,
        name=options.name,
        priority=options.priority,
        require_signatures=options.require_signatures,
        signers=tuple((value[0], value[1]) for value in options.signer),
        keys=tuple((value[0], value[1]) for value in options.key),
        token_env_var=options.token_env,
        root_file=options.root,
        fingerprint=options.fingerprint,
        lookup=options.lookup,
        names=tuple(filter(None, options.only_for.split(","))),
        private=options.private,
        organization=options.organization,
    )


def _is_confirmed(options: argparse.Namespace, ctx: Context, preview: RegistryPreview) -> bool:
    """A given fingerprint or root counts as confirmation; everything else is asked."""
    if preview.root is not None:
        return preview.confirmed or ctx.confirm("is this the fingerprint that its owner publishes?")
    if options.unsafe_unsigned:
        return True
    return ctx.confirm("its answers are not signed and may be outdated; add it?")


def _print(ctx: Context, preview: RegistryPreview) -> None:
    from atip.cli.output import clean

    entry = preview.entry
    ctx.print(f"{clean(preview.title)}  {clean(entry['url'])}")
    if preview.root is not None:
        root = preview.root
        ctx.print(f"  fingerprint  {root.fingerprint}")
        ctx.print(
            f"  root         {root.threshold} of {len(root.keys)} keys, valid until {root.expires}"
        )
    else:
        ctx.print(f"  fingerprint  none: it has no signed index; look-up by {entry['lookup']}")
        if entry["lookup"] == "hash":
            ctx.print("  privacy      it learns the hash of every program that is looked up")
    configured = [signer["identity"] for signer in entry.get("signers", ())]
    configured += [f"{key['type']} key {key['name']}" for key in entry.get("keys", ())]
    signers = configured or [
        f"{identity} ({issuer})" for identity, issuer in preview.offered_signers
    ]
    ctx.print(f"  signers      {clean(', '.join(signers) or 'none named')}")
