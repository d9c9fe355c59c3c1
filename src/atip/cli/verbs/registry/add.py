"""Add a remote registry: shows who it is and pins it.

A registry with a signed index (TUF) is pinned by the fingerprint of its first root: compare it with what its owner
publishes, or give it with --fingerprint. Signers that the registry names are shown and pinned with it; what it says
later changes neither. Without a signed index old answers look the same as new ones.
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
    parser.add_argument("--name", default="", help="how to call it (default: as it calls itself)")
    parser.add_argument("--priority", type=int, default=100, help="lower is asked first (100)")
    parser.add_argument(
        "--fingerprint", default="", metavar="SHA256", help="of its root, as its owner published it"
    )
    parser.add_argument("--root", default="", metavar="FILE", help="its root, had by another way")
    parser.add_argument(
        "--require-signatures", action="store_true", help="refuse shims that are not signed"
    )
    parser.add_argument(
        "--signer",
        nargs=2,
        action="append",
        default=[],
        metavar=("IDENTITY", "ISSUER"),
        help="whose signatures count (instead of those it names)",
    )
    parser.add_argument(
        "--key",
        nargs=2,
        action="append",
        default=[],
        metavar=("TYPE", "FILE"),
        help="public key whose signatures count; TYPE is cosign, minisign or gpg",
    )
    parser.add_argument(
        "--token-env", default="", metavar="VARIABLE", help="variable that holds its token"
    )
    parser.add_argument(
        "--only-for", default="", metavar="NAMES", help="tools only it may answer for: a,b"
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
        "--organization", action="store_true", help="its policy.json is in force here"
    )
    parser.add_argument(
        "--unsafe-unsigned",
        action="store_true",
        help="add it without asking although nothing it says is signed",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.registry.remote.configuring import add_registry, preview_registry

    places = ctx.app.places
    preview = preview_registry(_wanted(options), places, offline=ctx.app.offline)
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
            ctx.print("its policy is in force from now on")
        ctx.print("added; `atip registry sync` looks up what is known on this machine")
    return 0


def _wanted(options: argparse.Namespace) -> AddRequest:
    from atip.registry.remote.configuring import AddRequest

    return AddRequest(
        url=options.url,
        name=options.name,
        priority=options.priority,
        require_signatures=options.require_signatures,
        signers=tuple((one[0], one[1]) for one in options.signer),
        keys=tuple((one[0], one[1]) for one in options.key),
        token_env_var=options.token_env,
        root_file=options.root,
        fingerprint=options.fingerprint,
        lookup=options.lookup,
        names=tuple(filter(None, options.only_for.split(","))),
        private=options.private,
        organization=options.organization,
    )


def _is_confirmed(options: argparse.Namespace, ctx: Context, preview: RegistryPreview) -> bool:
    """A fingerprint or root that was given is a person's word already; everything else is asked."""
    if preview.root is not None:
        return preview.confirmed or ctx.confirm("is this the fingerprint that its owner publishes?")
    if options.unsafe_unsigned:
        return True
    return ctx.confirm("nothing about its answers is signed or fresh for sure; add it?")


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
            ctx.print("  privacy      it learns the hash of every program that it is asked about")
    given = [one["identity"] for one in entry.get("signers", ())]
    given += [f"{key['type']} key {key['name']}" for key in entry.get("keys", ())]
    signers = given or [f"{identity} ({issuer})" for identity, issuer in preview.offered_signers]
    ctx.print(f"  signers      {clean(', '.join(signers) or 'none named')}")
