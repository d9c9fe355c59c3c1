"""Package managers in the sandbox: separate caches, and the configured package indexes.

A cache that a confined line filled is untrusted: each workspace has its own, no other program uses it, and the user's
caches are not visible. Package indexes are copied from the managers' settings, because the home in the sandbox is
empty; addresses with a user name or password are left out.
"""

from __future__ import annotations

import os

from atip.errors import AtipError
from atip.system.digests import sha256_hex
from atip.system.files import make_private, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CACHES = {
    "npm_config_cache": "npm",
    "npm_config_store_dir": "pnpm",
    "YARN_CACHE_FOLDER": "yarn",
    "YARN_GLOBAL_FOLDER": "yarn-global",
    "BUN_INSTALL_CACHE_DIR": "bun",
    "DENO_DIR": "deno",
    "PIP_CACHE_DIR": "pip",
    "UV_CACHE_DIR": "uv",
    "POETRY_CACHE_DIR": "poetry",
    "CARGO_HOME": "cargo",
    "GOMODCACHE": "go-modules",
    "GOCACHE": "go-build",
    "GRADLE_USER_HOME": "gradle",
    "COMPOSER_CACHE_DIR": "composer",
}
"""Variable → folder below the cache of a workspace."""
_PIP = ("index-url", "extra-index-url", "find-links", "no-index", "cert", "trusted-host")
_NPM = ("registry", "cafile", "strict-ssl", "nodedir", "fund", "audit", "update-notifier")
_ENVIRONMENT = (
    *(f"PIP_{name.upper().replace('-', '_')}" for name in (*_PIP, "constraint")),
    *("UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"),
    *("npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER", "GOPROXY", "GOSUMDB"),
)  # fmt: skip
MAX_BYTES = 100_000


def cache_of(cache: str, workspace: str) -> str:
    """The package cache of one workspace; beside our own cache, which no run may see."""
    return os.path.join(f"{cache}-packages", sha256_hex(workspace.encode())[:20])


def prepare_cache(folder: str) -> None:
    """Create the folder."""
    make_private(os.path.dirname(folder))
    for name in CACHES.values():
        os.makedirs(os.path.join(folder, name), mode=0o700, exist_ok=True)


def cache_variables(folder: str) -> dict[str, str]:
    """Variables that point package managers to the folder."""
    return {name: os.path.join(folder, place) for name, place in CACHES.items()}


def package_settings(home: str, env: Mapping[str, str]) -> dict[str, str]:
    """The configured package indexes, as variables."""
    settings: dict[str, str] = {}
    for path in ("/etc/pip.conf", f"{home}/.pip/pip.conf", f"{home}/.config/pip/pip.conf"):
        settings.update(_pip(_text(path)))
    for path in ("/etc/npmrc", "/usr/etc/npmrc", "/usr/local/etc/npmrc", f"{home}/.npmrc"):
        settings.update(_npm(_text(path)))
    settings.update((name, env[name]) for name in _ENVIRONMENT if name in env)
    return {name: value for name, value in settings.items() if not _holds_credentials(value)}


def _text(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8", "replace")
    except AtipError:
        return ""


def _pip(text: str) -> Iterator[tuple[str, str]]:
    import configparser  # 4 ms, and most lines run where pip has no settings

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in ("global", "install"):
        for name in _PIP:
            value = parser.get(section, name, fallback="")
            if value:
                yield f"PIP_{name.upper().replace('-', '_')}", " ".join(value.split())


def _npm(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and name.strip() in _NPM:
            yield f"npm_config_{name.strip().replace('-', '_')}", value.strip().strip("\"'")


def _holds_credentials(value: str) -> bool:
    """SECURITY: a line gets no token: addresses with a user name or password, and values from variables, are left out."""
    authorities = (word.partition("://")[2].partition("/")[0] for word in value.split())
    return "${" in value or any("@" in authority for authority in authorities)
