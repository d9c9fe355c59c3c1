"""Remote reads: calls that only read from the service their user is logged in to, with nothing of ours in the question.

    (1) a program of the list, and a command of it that curated knowledge calls a read
    (2) every word literal and short, none that looks like a secret, a file, a URL or another's account
    (3) no option that chooses another endpoint, identity, or file
    (4) no public name (bucket, repository, chart) that could carry data to a stranger
    (5) GET and HEAD of loopback by curl, with options of a short list

Only such a call may be allowed by a preset; whatever is not on a list here asks as before. Pure; data and three small rules.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.model.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.policy.subject import Subject

_EVERYWHERE = frozenset(
    """--endpoint --endpoint-url --hostname --host --server --url --api-url --base-url --proxy --proxy-url --profile --context --cluster
    --config --config-file --kubeconfig --kube-context --kube-apiserver --kube-token --registry --registry-config --repo --header
    --raw --template --template-file --file --filename --from-file --input --input-file --cli-input-json --cli-input-yaml --token --access-token --password
    --username --user --as --as-group --as-uid --impersonate-service-account --account --access-token-file --flags-file
    --configuration --credentials --credentials-file --ca-bundle --no-verify-ssl --insecure --certificate-authority --client-key
    --client-certificate --tls-server-name --organization --org --web --watch --follow --stream --api-endpoint-overrides""".split()  # noqa: SIM905
)
"""(3) Whoever takes it."""
_PUBLIC_NAMES = frozenset(
    """--bucket --bucket-name --account-name --vault-name --storage-account --registry-name --source --destination --repository-url --owner
    --queue-owner-aws-account-id --role-arn --account-id --owner-id --expected-bucket-owner --hostname-prefix""".split()  # noqa: SIM905
)
_SERVICES: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {
    # program: further options that choose an endpoint, an identity or a file; commands (by their beginning) that are left out
    "gh": (frozenset({"-R", "-H", "-F", "-f", "-X", "-w", "-t"}), ("api", "auth", "search", "gist view", "extension", "secret", "ssh-key", "gpg-key", "variable", "codespace logs")),
    "glab": (frozenset({"-R", "-H", "-F", "-f"}), ("api", "auth", "variable", "snippet")),
    "kubectl": (frozenset({"-s", "-f", "-k", "-w"}), ("config", "auth", "proxy", "exec", "cp", "port-forward", "plugin")),
    "oc": (frozenset({"-s", "-f", "-k", "-w"}), ("config", "auth", "proxy", "exec", "cp", "port-forward", "whoami")),
    "helm": (frozenset(), ("get", "show", "search", "pull", "template", "registry", "plugin", "repo", "env")),
    "aws": (frozenset(), ("s3", "s3api", "configure", "sso", "secretsmanager", "ssm", "kms", "sts assume-role", "sts get-session-token", "sts decode-authorization-message", "codecommit", "ecr-public", "s3control", "glacier")),
    "az": (frozenset({"-f"}), ("rest", "keyvault", "login", "storage blob", "storage container", "storage table", "storage queue", "storage entity", "storage share", "storage file", "storage fs", "storage directory", "storage message", "acr", "extension", "ad", "batch", "cosmosdb keys")),
    "gcloud": (frozenset(), ("auth", "config", "secrets", "storage", "kms", "artifacts", "source", "ssh")),
    "doctl": (frozenset({"-t", "-c"}), ("auth", "registry", "serverless")),
    "hcloud": (frozenset(), ("context",)),
    "heroku": (frozenset({"-r"}), ("config", "auth", "run", "pg", "redis", "psql")),
    "flyctl": (frozenset({"-c"}), ("auth", "ssh", "secrets", "tokens", "config", "proxy")),
    "fly": (frozenset({"-c"}), ("auth", "ssh", "secrets", "tokens", "config", "proxy")),
    "auth0": (frozenset({"-t"}), ("api", "login", "test", "config")),
    "vercel": (frozenset({"-t", "-A", "-Q"}), ("env", "login", "pull")),
    "netlify": (frozenset(), ("env", "login", "api", "dev")),
    "eksctl": (frozenset({"-f", "-p"}), ("utils",)),
    "linode-cli": (frozenset(), ("configure", "obj", "get-kubeconfig", "profile")),
}  # fmt: skip
_READ_VERB = LazyRegex(
    r"(?:get|list|ls|show|describe|view|status|state|logs?|top|history|versions?|info|diff|explain|events|usage|check|checks|exists|"
    r"api-resources|api-versions|cluster-info|query|scan|count|lookup|whoami|health|metrics|ps|releases|regions|repos)(?:-[a-z0-9-]+)?"
    r"|(?:batch|transact)-get-[a-z-]+|(?:head|filter|search|lookup|scan|preview|estimate|validate|test)-[a-z0-9-]+"
)
"""SECURITY: the last word of the command says looking too; knowledge alone is not enough for what leaves the machine."""
_SECRET_WORD = LazyRegex(
    r"(?i)secret|token|passw|credential|api-?keys?$|access-?keys?|private-?key|connection-?string|kubeconfig|get-login|"
    r"app-?settings|environment-?var|env-?vars?$|user-?data|console-output|^dump$|^keys?$"
)
_ODD = LazyRegex(r"://|^(?:file|fileb|http|ftp|gs|s3|arn|oci):|(?:^|[=,])@|[\n`$;|<>]|\.\.|^~|^/")
_LONG_RUN = LazyRegex(r"[A-Za-z0-9+_=]{24,}")
MAX_WORD, MAX_WORDS = 120, 40

_LOOPBACK = LazyRegex(
    r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/?=&%-]{0,160})?"
)
_LOOPBACK_STARTS = tuple(
    f"{scheme}://{host}"
    for scheme in ("http", "https")
    for host in ("localhost", "127.0.0.1", "[::1]")
)
_CURL_FLAGS = frozenset(
    """-s -S -f -i -I -v -k -sS -Ss -sf -fs -sSf -fsS -sI -Is -si -is -sv --silent --show-error --fail --include --head --verbose --compressed
    --insecure --http1.1 --http2 -4 -6 --ipv4 --ipv6 --no-progress-meter --fail-with-body""".split()  # noqa: SIM905
)
_CURL_VALUES = frozenset({"-m", "--max-time", "--connect-timeout", "-X", "--request"})
_CURL_VALUE = LazyRegex(r"GET|HEAD|[0-9]{1,3}(?:\.[0-9])?")


def reads_service(subject: Subject) -> bool:
    """Whether a call only asks the service that its user is logged in to, or this machine."""
    words = subject.argv[1:]
    if any(UNKNOWN_TEXT in word for word in words):
        return False
    if subject.tool == "curl":
        return _reads_loopback(words)
    known = _SERVICES.get(subject.tool)
    if known is None or not subject.path or len(words) > MAX_WORDS:
        return False
    options, left_out = known
    command = " ".join(subject.path) + " "
    if any(command.startswith(f"{each} ") for each in left_out):
        return False
    if not _READ_VERB.fullmatch(subject.path[-1]):
        return False
    flags = {word.partition("=")[0] for word in words if word.startswith("-")}
    chosen = _EVERYWHERE | _PUBLIC_NAMES | options
    # SECURITY: `-R` may be joined to its value, and a long option may be shortened
    if any(_may_be(flag, chosen) for flag in flags):
        return False
    return all(word == "@me" or _is_plain(word) for word in words)


def _may_be(flag: str, chosen: frozenset[str]) -> bool:
    if flag.startswith("--"):
        return flag in chosen or any(long.startswith(flag) for long in chosen)
    return any(short[1] in flag[1:] for short in chosen if len(short) == 2)


def _is_plain(word: str) -> bool:
    """Short, no file, no address, nothing that looks like a secret or asks for one."""
    if len(word) > MAX_WORD or _ODD.search(word.partition("=")[2] or word) or _ODD.search(word):
        return False
    if _SECRET_WORD.search(word):
        return False
    return not any(_looks_random(run) for run in _LONG_RUN.findall(word))


def _looks_random(run: str) -> bool:
    return any(char.isdigit() for char in run) and any(char.isalpha() for char in run)


def _reads_loopback(words: Sequence[str]) -> bool:
    urls, expects = 0, False
    for word in words:
        if expects:
            if not _CURL_VALUE.fullmatch(word):
                return False
            expects = False
        elif word in _CURL_VALUES:
            expects = True
        elif word.startswith(_LOOPBACK_STARTS) and _LOOPBACK.fullmatch(word):
            urls += 1
        elif word not in _CURL_FLAGS:
            return False
    return urls == 1 and not expects
