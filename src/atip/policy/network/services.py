"""Services that a program reads for the user who is logged in: which of its commands are reads, which options choose another
endpoint, identity or file. Data; `policy.network.remote` has the rules.
"""

from __future__ import annotations

from atip.model.value import Value


class Service(Value):
    """Rules of one program in addition to the common ones."""

    options: str = ""
    """Letters of options that choose an endpoint, an identity or a file."""
    files: tuple[str, ...] = ()
    """Its own long options with the same meaning."""
    left_out: tuple[str, ...] = ()
    """Beginnings of commands that are not reads in this sense: they print secrets, run things, or name public things."""
    reads: tuple[str, ...] = ()
    """Beginnings of commands that are, though their last word does not say so; they win over `left_out`."""
    bare: tuple[str, ...] = ()
    """Commands that are reads without operands (`aws s3 ls`)."""
    only: str = ""
    """Its only options that may be given; empty: any that is not left out. For programs that take shortened options."""
    names: tuple[str, ...] = ()
    """Options that name a public thing elsewhere, and a part of the user's own account here."""
    operands: str = ""
    """Pattern that every operand must match; empty: the one for any word."""
    public: tuple[str, ...] = ()
    """Options that name a public thing, accepted if the workspace names it too."""
    catalogue: tuple[str, ...] = ()
    """Commands whose first operand is such a name."""
    settings: tuple[str, ...] = ()
    """Files in a workspace that choose its endpoint; if one may exist, the call asks."""
    logged_in: bool = True
    """False: its public catalogue is read, and that is read as a whole (`brew info`)."""


EVERYWHERE = frozenset(
    """--endpoint --endpoint-url --hostname --host --server --url --api-url --base-url --proxy --proxy-url --profile --context --cluster
    --config --config-file --kubeconfig --kube-context --kube-apiserver --kube-token --registry --registry-config --repo --header
    --raw --template --template-file --file --filename --from-file --input --input-file --cli-input-json --cli-input-yaml --token --access-token --password
    --username --user --as --as-group --as-uid --impersonate-service-account --account --access-token-file --flags-file
    --configuration --credentials --credentials-file --ca-bundle --no-verify-ssl --insecure --certificate-authority --client-key
    --client-certificate --tls-server-name --organization --org --web --api-endpoint-overrides""".split()  # noqa: SIM905
)
"""Options that choose an endpoint, an identity or a file, for every program."""
PUBLIC_NAMES = frozenset(
    """--bucket --bucket-name --account-name --vault-name --storage-account --registry-name --source --destination --repository-url --owner
    --queue-owner-aws-account-id --role-arn --account-id --owner-id --expected-bucket-owner --hostname-prefix""".split()  # noqa: SIM905
)
"""Options that name something that anyone can own."""

_KUBE = ("config", "auth", "proxy", "exec", "cp", "port-forward", "plugin")
_CHART = r"\.{0,2}(?:/?[A-Za-z0-9_][A-Za-z0-9._-]*)+/?|\."
_PACKAGE = r"[a-z0-9][a-z0-9+_-]*(?:@[0-9][0-9.]*)?"
SERVICES = {
    "gh": Service(
        options="RHFfXt",
        names=("--web",), public=("-R", "--repo"),
        left_out=("api", "auth", "gist view", "extension", "secret", "variable", "codespace logs"),
        reads=("search", "browse", "codespace ports", "release verify", "release verify-asset", "extension search", "extension list"),
    ),
    "glab": Service(options="RHFf", left_out=("api", "auth", "variable", "snippet")),
    "kubectl": Service(options="sfkw", left_out=_KUBE),
    "oc": Service(options="sfkw", left_out=(*_KUBE, "whoami")),
    "helm": Service(
        files=("--repository-config", "--repository-cache", "--post-renderer", "--set-file", "--ca-file", "--cert-file", "--key-file"),
        left_out=("get", "search", "template", "pull", "registry", "plugin", "repo", "env"),
        reads=("get metadata", "get notes", "show"),
        operands=_CHART,
    ),
    "aws": Service(
        bare=("s3 ls",), public=("--bucket",),
        left_out=("s3", "s3api get-object", "s3api select-object-content", "configure", "sso", "secretsmanager", "ssm", "kms", "sts assume-role", "sts get-session-token",
                  "sts decode-authorization-message", "codecommit", "ecr-public", "s3control", "glacier"),
        reads=("kms list-", "kms describe-", "logs tail", "rds download-db-log-file-portion", "ssm list-", "ssm describe-", "s3api list-buckets"),
    ),
    "az": Service(
        options="f",
        left_out=("rest", "keyvault", "login", "storage blob", "storage container", "storage table", "storage queue", "storage entity",
                  "storage share", "storage file", "storage fs", "storage directory", "storage message", "acr", "extension", "ad", "batch", "cosmosdb keys"),
        reads=("webapp log tail", "acr list", "ad signed-in-user show", "extension list"),
        names=("--account-name",),
    ),
    "gcloud": Service(
        left_out=("auth", "config", "secrets", "storage", "kms", "artifacts", "source", "ssh"),
        reads=("logging read", "app logs read", "storage buckets list", "kms keyrings list", "kms keyrings describe", "kms keys list", "kms keys describe",
               "kms locations list", "artifacts repositories list", "artifacts locations list"),
        names=("--bucket", "--bucket-name"),
    ),
    "docker": Service(
        options="Hc",
        catalogue=("manifest inspect",),
        left_out=("secret", "service inspect", "config", "context", "plugin", "trust", "buildx"),
        reads=("search", "node inspect", "service ps", "stack ps", "stack services", "node ps"),
    ),
    "brew": Service(
        left_out=("bundle", "services", "alias", "config", "log", "livecheck", "tap-info"),
        reads=("info", "outdated", "search", "desc", "fetch"),
        operands=_PACKAGE, logged_in=False,
    ),
    "pip": Service(
        only="-o --outdated -u --uptodate --local -l --not-required --pre --format --format=json --format=columns --format=freeze",
    ),
    "npm": Service(
        left_out=("token", "access", "config", "whoami"), reads=("outdated", "ping", "profile get"), bare=("stars",), catalogue=("view", "owner ls"),
        only="--json --long -l --all -a --parseable -p --depth=0", settings=(".npmrc",),
    ),
    "pnpm": Service(
        left_out=("view", "info", "show", "audit", "ping", "search", "whoami", "licenses", "config", "why", "list"), reads=("outdated",),
        only="--json --long -r --recursive -D --dev -P --prod --compatible", settings=(".npmrc", "pnpm-workspace.yaml"),
    ),
    "yarn": Service(
        left_out=("info", "npm", "audit", "search", "whoami", "login", "config", "why", "list", "owner", "tag", "team", "access"),
        reads=("outdated",), only="--json", settings=(".npmrc", ".yarnrc", ".yarnrc.yml"),
    ),
    "doctl": Service(options="tc", left_out=("auth", "registry", "serverless")),
    "hcloud": Service(left_out=("context",)),
    "heroku": Service(options="r", left_out=("config", "auth", "run", "pg", "redis", "psql")),
    "flyctl": Service(options="c", left_out=("auth", "ssh", "secrets", "tokens", "config", "proxy")),
    "fly": Service(options="c", left_out=("auth", "ssh", "secrets", "tokens", "config", "proxy")),
    "auth0": Service(options="t", left_out=("api", "login", "test", "config")),
    "vercel": Service(options="tAQ", left_out=("env", "login", "pull")),
    "netlify": Service(left_out=("env", "login", "api", "dev")),
    "eksctl": Service(options="fp", left_out=("utils",)),
    "linode-cli": Service(left_out=("configure", "obj", "get-kubeconfig", "profile")),
}  # fmt: skip
"""By program."""
