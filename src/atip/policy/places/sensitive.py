"""Sensitive paths: secrets, start files, hooks, agent settings. Data.

One regular expression per list, over normalized paths; `EXAMPLES` are used for words with a wildcard
(`cat .e*`). Extend here, nowhere else.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ANY_FILE, ANY_CHAR = "\1", "\2"

_NOT_SOURCE = r"(?!.*\.(?:py|js|mjs|ts|tsx|jsx|go|rs|md|html|java|kt|rb|c|h|cpp|cs|swift|tf)$)"
"""`src/secrets/manager.py` is code about secrets."""
_SECRET = (
    # folders of programs that keep credentials
    r"\.ssh(/|$)", r"\.gnupg(/|$)", r"\.aws(/|$)", r"\.azure(/|$)", r"\.kube(/|$)", r"\.config/gcloud(/|$)",
    r"\.password-store(/|$)", r"\.local/share/keyrings(/|$)", r"Keychains(/|$)", r"\.mozilla(/|$)",
    r"google-chrome(/|$)", r"\.config/chromium(/|$)", r"\.config/op(/|$)", r"\.config/gh(/|$)", r"\.config/hub$",
    r"\.docker(/config\.json)?$", r"\.config/containers/auth\.json$", r"\.dockercfg$", r"secrets?(/|$)" + _NOT_SOURCE,
    r"\.secrets?(/|$)", r"\.terraform\.d(/|$)", r"\.config/rclone(/|$)", r"\.config/github-copilot(/|$)",
    r"\.1password(/|$)", r"\.bitwarden(/|$)", r"\.electrum(/|$)", r"\.bitcoin(/|$)", r"\.ethereum(/|$)",
    # files of programs that keep credentials
    r"[._]netrc$", r"\.npmrc$", r"\.yarnrc(\.yml)?$", r"\.pypirc$", r"\.pip/pip\.conf$", r"\.gem/credentials$",
    r"\.cargo/credentials(\.toml)?$", r"\.git-credentials$", r"\.pgpass$", r"\.my\.cnf$",
    r"\.mylogin\.cnf$", r"\.vault-token$", r"\.terraformrc$", r"\.s3cfg$", r"\.boto$", r"\.m2/settings\.xml$",
    r"gradle\.properties$", r"\.composer/auth\.json$", r"auth\.json$", r"oauth_creds\.json$",
    r"\.credentials\.json$", r"\.claude\.json$", r"rclone\.conf$", r"\.htpasswd$",
    # by name or ending
    r"\.env(\.(?!example$|sample$|template$|dist$|defaults?$|schema$)[^/]*)?$", r"[^/]+\.env$", r"\.envrc$",
    r"\.flaskenv$", r"id_(rsa|dsa|ecdsa|ed25519)(_sk)?$", r"[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|age)$",
    r"[^/]*_(rsa|dsa|ecdsa|ed25519)$", r"credentials?(\.[^/]+)?$", _NOT_SOURCE + r"secrets?\.[^/]+$",
    r"[^/]*\.tfstate(\.backup)?$", r"[^/]*\.tfvars$", r"master\.key$", r"service-?account[^/]*\.json$",
    r"\.[\w-]*(token|password|apikey)s?$", r"[\w-]*(token|password|passwd|apikey|api_key)s?\.txt$", r"\.[a-z_]*_?history$",
    r"kubeconfig(\.ya?ml)?$", r"authorized_keys$", r"known_hosts$", r"wallet\.dat$", r"cookies(\.sqlite|\.txt)?$",
)  # fmt: skip
_SECRET_ABSOLUTE = (
    r"etc/g?shadow-?$", r"etc/sudoers(\.d)?(/|$)", r"etc/master\.passwd$", r"etc/security/opasswd$",
    r"etc/ssl/private(/|$)", r"etc/ssh(/|$)", r"proc/[^/]+/(environ|mem|maps|fd|cmdline|root|cwd)(/|$)",
    r"proc/kcore$", r"(var/)?run/secrets(/|$)", r"dev/(mem|kmem|port|sd|hd|vd|nvme|mmcblk|dm-|mapper|disk)",
    r"var/lib/(docker|kubelet)(/|$)", r"etc/kubernetes(/|$)", r"var/mail(/|$)",
    r"var/spool/(cron|mail)(/|$)", r"etc/NetworkManager(/|$)", r"etc/wpa_supplicant(/|$)", r"sys/kernel(/|$)",
)  # fmt: skip
_PROTECTED = (
    r"\.(bash|zsh|k)(rc|env|_profile|_login|_logout|_aliases)$", r"\.z(profile|login|logout)$", r"\.profile$",
    r"\.inputrc$", r"\.config/fish(/|$)", r"\.vimrc$", r"\.config/nvim(/|$)", r"\.emacs(\.d(/|$)|$)",
    r"\.git/(hooks|config|info|modules)(/|$)", r"\.git$", r"\.gitconfig$", r"\.config/git(/|$)", r"\.husky(/|$)", r"\.gitmodules$",
    r"\.gitattributes$", r"\.pre-commit-config\.yaml$", r"\.github/(workflows|actions)(/|$)", r"\.gitlab-ci\.yml$",
    r"\.vscode(/|$)", r"\.idea(/|$)", r"\.claude(/|$)", r"\.codex(/|$)", r"\.cursor(/|$)", r"\.gemini(/|$)",
    r"\.aider[^/]*$", r"\.continue(/|$)", r"\.mcp\.json$", r"mcp\.json$", r"agent-tools(/|$)", r"\.agent-tools(/|$)",
    r"\.config/(systemd|autostart|environment\.d)(/|$)", r"LaunchAgents(/|$)", r"\.pam_environment$",
    r"\.local/bin(/|$)", r"\.xinitrc$", r"\.xprofile$", r"\.tmux\.conf$", r"crontabs?(/|$)", r"\.envrc$",
    r"CLAUDE\.md$", r"AGENTS\.md$", r"\.direnv(/|$)", r"sitecustomize\.py$", r"[^/]*\.pth$",
)  # fmt: skip

EXAMPLES = tuple(
    """.env .env1 .env.local .env.production .envrc .ssh/id_rsa .ssh/id_ed25519 .ssh/config id_rsa id_ed25519 .aws/credentials
    .aws/config .netrc .npmrc .pypirc .git-credentials .kube/config .docker/config.json .gnupg/secring.gpg .pgpass .my.cnf
    .bash_history .zsh_history .python_history .vault-token credentials credentials.json secrets.yml secrets.json server.key
    private.pem terraform.tfstate .config/gh/hosts.yml .config/gcloud/credentials.db /etc/shadow /etc/gshadow /etc/sudoers
    /proc/self/environ /proc/1/environ .cargo/credentials.toml .claude/.credentials.json .codex/auth.json""".split()  # noqa: SIM905
)
KEPT_AT_HOME = (
    *(path for path in EXAMPLES if path[0] == "." and "/" in path),
    *""".local/share/keyrings/login .m2/settings.xml .gem/credentials .pip/pip.conf .composer/auth.json .mozilla/firefox
    .gradle/gradle.properties Library/Keychains/login AppData/Roaming/gcloud""".split(),  # noqa: SIM905
)
"""Secrets by their paths below a home: the folders above them are not projects."""
PUBLIC = (
    "/usr/",
    "/etc/",
    "/opt/",
    "/bin/",
    "/lib/",
    "/sbin/",
    "/sys/",
    "/proc/",
    "/tmp/",  # noqa: S108
    "/var/log/",
    "/dev/",
    "/Applications/",
    "/System/",
)
"""Outside the workspace, but not secret – unless a list above says so."""

SECRET_VARIABLE = LazyRegex(
    r"(?i)(token|secret|passw|passphrase|credential|api_?key|access_?key|private_?key|auth|cookie|session|"
    r"_key$|_pat$|_pwd$|^pgpass|_dsn$|database_url|_uri$|connection_string|webhook|license_?key|^!$)"
)
"""Names of variables whose values are private; `!` is an unknown name."""


def _join_patterns(parts: Iterable[str], absolute: Iterable[str]) -> LazyRegex:
    return LazyRegex(rf"(?:^|[/:@=])(?:{'|'.join(parts)})|^/(?:{'|'.join(absolute)})")


SECRETS = _join_patterns(_SECRET, _SECRET_ABSOLUTE)
PROTECTED = _join_patterns(_PROTECTED, (r"(etc|usr|bin|sbin|lib|boot|sys|proc|var)(/|$)",))
_SECRET_TEXTS = tuple(
    """/etc/ /proc/ /run/ /dev/ /var/ /sys/ Keychains google-chrome secret netrc gradle.properties auth.json oauth_creds rclone.conf
    .env id_ _rsa _dsa _ecdsa _ed25519 .pem .key .p12 .pfx .jks .keystore .kdbx .ppk .gpg .age credential .tfstate .tfvars
    service token passw apikey api_key kubeconfig authorized_keys known_hosts wallet.dat cookies""".split()  # noqa: SIM905
)
_PROTECTED_TEXTS = tuple(
    """/etc /usr /bin /sbin /lib /boot /sys /proc /var mcp.json agent-tools LaunchAgents crontab CLAUDE.md AGENTS.md
    sitecustomize.py .pth""".split()  # noqa: SIM905
)


def may_match(path: str, texts: Iterable[str]) -> bool:
    """Whether a list could match: a hidden name, or one of the texts that all its other entries hold. Avoids the
    two large expressions in most calls of the guard."""
    hidden = path[:1] == "." and path[1:2] not in ("", "/", ".")
    if hidden or any(text in path for text in ("/.", ":.", "@.", "=.")):
        return True
    return any(text in path for text in texts)


def _is_listed(path: str) -> bool:
    return may_match(path, _SECRET_TEXTS) and SECRETS.search(path) is not None


def is_secret(path: str) -> bool:
    """Whether a normalized path (wildcards as `UNKNOWN_TEXT`, `\\1`, `\\2`) is or may be a secret."""
    if not any(char in path for char in (UNKNOWN_TEXT, ANY_FILE, ANY_CHAR)):
        return _is_listed(path)
    plain = path.split(UNKNOWN_TEXT)[0].split(ANY_FILE)[0].split(ANY_CHAR)[0]
    folder = plain.rpartition("/")[0]
    return (bool(folder) and _is_listed(folder)) or any(
        _may_be(path, example) for example in EXAMPLES
    )


def is_protected(path: str) -> bool:
    """Whether writing there changes what runs later, or who may do what."""
    listed = may_match(path, _PROTECTED_TEXTS) and PROTECTED.search(path) is not None
    return listed or is_secret(path)


_COMMON = ("json", "yml", "yaml", "txt", "toml", "xml")


def _may_be(path: str, example: str) -> bool:
    """Whether a path with wildcards may end like an example, by more than a bare `*`."""
    example_parts = example.strip("/").split("/")
    parts = path.split("/")
    if example.startswith("/") and len(parts) != len(example_parts) + 1:
        return False
    path_parts = parts[-len(example_parts) :]
    if len(path_parts) != len(example_parts):
        return False
    wild = {UNKNOWN_TEXT, ANY_FILE, ANY_CHAR}
    stem, _dot, ending = path_parts[-1].rpartition(".")
    if stem and set(stem) <= wild and ending in _COMMON:
        return False  # `*.json`: every file of a kind that is hardly ever a secret
    if all(set(part) <= wild for part in path_parts):
        return False
    return all(
        _part_may_be(part, want) for part, want in zip(path_parts, example_parts, strict=True)
    )


def _part_may_be(part: str, want: str) -> bool:
    if want.startswith(".") and part[:1] in (ANY_FILE, ANY_CHAR):
        return False  # a glob does not match a leading dot
    stars = part[:200].replace(UNKNOWN_TEXT, ANY_FILE)
    return stars.count(ANY_FILE) > 8 or _glob_matches(stars, want)


def _glob_matches(pattern: str, text: str) -> bool:
    """Whether a name matches, `ANY_FILE` for any text and `ANY_CHAR` for one character."""
    at = back = matched = 0
    star = -1
    while matched < len(text):
        symbol = pattern[at : at + 1]
        if symbol == ANY_FILE:
            star, back, at = at, matched, at + 1
        elif symbol and symbol in (ANY_CHAR, text[matched]):
            at, matched = at + 1, matched + 1
        elif star >= 0:
            back += 1
            at, matched = star + 1, back
        else:
            return False
    return not pattern[at:].strip(ANY_FILE)
