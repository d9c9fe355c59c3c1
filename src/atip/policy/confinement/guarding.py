"""Guarding: what no confinement exposes by accident – our own settings, and folders with secrets.

Our own settings (policy, approvals, audit, store) are inaccessible to every run, whatever is granted. Secret
folders of the home directory are inaccessible unless the user's grant, or the call that the user confirmed,
names something inside them: `~/**` alone does not open `~/.ssh`. Pure.
"""

from __future__ import annotations

from atip.model.text.globs import parse_glob
from atip.policy.confinement.granting import path_covers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.model.permissions.confinement import Confinement

SECRETS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla"),
    *(".config/gcloud", ".config/gh", ".config/google-chrome", ".config/chromium", ".config/op"),
    *(".local/share/keyrings", ".netrc", ".git-credentials", ".pgpass", ".pypirc", ".npmrc"),
    *(".cargo/credentials.toml", ".vault-token", ".terraform.d", ".config/rclone", ".claude"),
)
"""Below the home directory."""
READ_ONLY_NAMES = (
    *(".agent-tools", ".envrc", ".vscode", ".idea", ".zed", ".devcontainer", ".husky", ".exrc"),
    *(".nvimrc", ".claude", ".codex", ".cursor", ".gemini", ".kimi", ".opencode", ".continue"),
    *(
        "opencode.json",
        "opencode.jsonc",
        ".mcp.json",
        ".github/workflows",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
    ),
    *(".pnpmfile.cjs", ".cargo/config", ".cargo/config.toml", "codegen.config.json", ".gitmodules"),
    *(".yarn/releases", ".yarn/plugins", "bunfig.toml", "rust-toolchain", "rust-toolchain.toml"),
    *(".aider.conf.yml", ".windsurf", ".kiro", ".qwen", ".roo"),
)
"""Below a writable folder, at any depth: readable, but not writable and not creatable, because their content runs later, unconfined."""
REPOSITORY = ".git"
"""Read-only as a whole for every program but git."""
REPOSITORY_PARTS = (
    *("config", "config.worktree", "hooks", "commondir"),
    *("objects/info/alternates", "objects/info/http-alternates"),
)
"""Of a repository that git itself works in: what decides which programs git starts, and where it reads."""


def guard(
    confinement: Confinement, *, home: str, own: Sequence[str], explicit: Sequence[str]
) -> Confinement:
    """Remove our own settings and secrets from a confinement.

    Args:
        own: folders that nothing may see.
        explicit: entries that the user granted or confirmed.
    """
    granted = dict.fromkeys((*confinement.fs_read, *confinement.fs_write))
    literals = {entry: parse_glob(entry).literal for entry in granted}
    denies = list(confinement.fs_deny)
    secrets = [f"{home}/{name}" for name in SECRETS] if home else []
    for folder in (*own, *secrets):
        tree = f"{folder.rstrip('/')}/**"
        if folder in secrets and any(path_covers(tree, entry) for entry in explicit):
            continue
        # SECURITY: an entry inside is removed; an entry that contains it stays, with this denied.
        for entry in [entry for entry in literals if _inside(literals[entry], folder)]:
            del literals[entry]
        if any(_inside(folder, literal, itself=False) for literal in literals.values()):
            denies.append(folder)
    return confinement.replace(
        fs_read=tuple(entry for entry in confinement.fs_read if entry in literals),
        fs_write=tuple(entry for entry in confinement.fs_write if entry in literals),
        fs_deny=tuple(dict.fromkeys(denies)),
    )


def protected_names(
    confinement: Confinement, *, repository: bool, without: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names that stay read-only where a confinement may write.

    Args:
        repository: git itself runs, and writes into repositories.
        without: names that the call is known to change, such as `.git/config`.
    """
    if not confinement.fs_write:
        return ()
    own = [f"{REPOSITORY}/{part}" for part in REPOSITORY_PARTS] if repository else [REPOSITORY]
    return tuple(f"**/{name}" for name in (*READ_ONLY_NAMES, *own) if name not in without)


def _inside(path: str, folder: str, *, itself: bool = True) -> bool:
    return (itself and path == folder) or path.startswith(folder.rstrip("/") + "/")
