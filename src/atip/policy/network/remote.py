"""Remote reads: calls that only read from the service their user is logged in to, with no local data in the request.

    (1) a program of the list, and a command of it that curated knowledge calls a read
    (2) every word literal and short, none that looks like a secret, a file, a URL or another's account
    (3) no option that chooses another endpoint, identity, or file
    (4) no public name (bucket, repository, chart) that could carry data to a stranger
    (5) GET and HEAD of loopback by curl, with options of a short list

Only such a call may be allowed by a preset; every other call still asks. Pure; data and three small rules.
"""

from __future__ import annotations

from atip.calls.invocation import UNKNOWN_TEXT
from atip.model.text.regex import LazyRegex
from atip.policy.network.services import EVERYWHERE, PUBLIC_NAMES, SERVICES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from atip.policy.command_context import CommandContext
    from atip.policy.network.services import Service

    class NamesOf(Protocol):
        """Lookup of names in the files of a workspace (`system.workspace.names`)."""

        def names(self, name: str) -> bool: ...

        def has_any(self, files: tuple[str, ...]) -> bool: ...


_READ_VERB = LazyRegex(
    r"(?:get|list|ls|show|describe|view|status|state|logs?|top|history|versions?|info|diff|explain|events|usage|check|checks|exists|"
    r"api-resources|api-versions|cluster-info|query|scan|count|lookup|whoami|health|metrics|ps|releases|regions|repos)(?:-[a-z0-9-]+)?"
    r"|(?:batch|transact)-get-[a-z-]+|(?:head|filter|search|lookup|scan|preview|estimate|validate|test)-[a-z0-9-]+"
)
"""SECURITY: the last word of the command must be a reading verb too; knowledge alone is not enough for remote calls."""
_SECRET_WORD = LazyRegex(
    r"(?i)secret|token|passw|credential|api-?keys?$|access-?keys?|private-?key|connection-?string|kubeconfig|get-login|"
    r"app-?settings|environment-?var|env-?vars?$|user-?data|console-output|^dump$|^keys?$"
)
_ODD = LazyRegex(
    r"://|^(?:file|fileb|http|https|ftp|gs|s3|arn|oci):|(?:^|[=,])@|[\n`$]|(?:^|/)\.\.(?:/|$)|^~|^/"
)
_RESOURCE = LazyRegex(
    r"/(?:aws|ecs|subscriptions|providers)/(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/?|\.\.\./?)*$"
)
"""Names of log groups and resources that begin like a path."""
_ENVIRONMENT = LazyRegex(
    r"(?:^|[^A-Za-z0-9_.\"-])env(?:$|[^A-Za-z0-9_-])|(?:template|jsonpath|columns)-file|templatefile"
)
"""`gh --jq env` prints the environment, `kubectl -o go-template-file=x` reads a file."""
_LONG_RUN = LazyRegex(r"[A-Za-z0-9+_=]{24,}")
_HARMLESS = frozenset({"@me", "--secret"})
"""`gh gist list --secret` lists the user's own."""
MAX_WORD, MAX_WORDS = 120, 40

_API_FLAGS = frozenset({"--paginate", "-i", "--include", "--silent", "--slurp", "--verbose"})
_API_VALUES = frozenset({"-X", "--method", "-q", "--jq", "--cache", "-f", "--raw-field"})
_API_REPOSITORY = LazyRegex(r"repos/([A-Za-z0-9-]+/[A-Za-z0-9._-]+)(?=[/?]|$)")
_PUBLIC_NAME = LazyRegex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}(?:/[A-Za-z0-9._-]{1,60})?")
_API_PATH = LazyRegex(
    r"/?(?:repos/(?:\{owner\}/\{repo\}|:owner/:repo)(?:/[A-Za-z0-9._/-]*)?"
    r"|(?:user|notifications|issues|rate_limit|meta|emojis|licenses|gitignore/templates|search/[a-z]+)(?:/[A-Za-z0-9._/-]*)?)"
    r"(?:\?[A-Za-z0-9._~=&%+:-]*)?"
)
"""Not `graphql`, and no repository, organization or user by name."""


def reads_service(subject: CommandContext, workspace: NamesOf | None = None) -> bool:
    """Whether a call only reads from the service that its user is logged in to, or from this machine.

    Args:
        workspace: names in the files of the workspace; None: unknown, and no public name is accepted.
    """
    words: Sequence[str] = subject.argv[1:]
    if any(UNKNOWN_TEXT in word for word in words):
        return False
    if subject.tool == "curl":
        from atip.policy.network.loopback import reads_loopback

        return reads_loopback(words)
    if (subject.tool, subject.path) == ("gh", ("api",)):
        return _reads_api(words, workspace)
    service = SERVICES.get(subject.tool)
    if service is None or not subject.path or len(words) > MAX_WORDS:
        return False
    if service.settings and (workspace is None or workspace.has_any(service.settings)):
        return False
    words = _without_named(service, words, workspace)
    if not _is_read(service, subject, workspace) or _chooses(service, words):
        return False
    if service.operands and not all(_matches(service.operands, word) for word in subject.arguments):
        return False
    listed_read = " ".join(subject.path) in service.reads
    left = [word for word in words if not (listed_read and word in subject.path)]
    return all(word in _HARMLESS or _is_plain(word) for word in left)


def _is_read(service: Service, subject: CommandContext, workspace: NamesOf | None) -> bool:
    command = " ".join(subject.path)
    if command in service.bare:
        return not subject.arguments
    if command in service.catalogue:
        first = subject.arguments[:1]
        return not first or (workspace is not None and workspace.names(first[0]))
    command += " "
    if any(command.startswith(read if read[-1] == "-" else f"{read} ") for read in service.reads):
        return True
    if any(command.startswith(f"{each} ") for each in service.left_out):
        return False
    return _READ_VERB.fullmatch(subject.path[-1]) is not None


def _without_named(
    service: Service, words: Sequence[str], workspace: NamesOf | None
) -> Sequence[str]:
    """The words without `-R owner/repo` and the like, if the files of the workspace contain that name."""
    if workspace is None or not service.public:
        return words
    left: list[str] = []
    at = 0
    while at < len(words):
        flag, equals, value = words[at].partition("=")
        if flag in service.public:
            if not equals:
                value = words[at + 1] if at + 1 < len(words) else ""
            if _PUBLIC_NAME.fullmatch(value) and workspace.names(value):
                at += 1 if equals else 2
                continue
        left.append(words[at])
        at += 1
    return left


def _chooses(service: Service, words: Sequence[str]) -> bool:
    """Whether an option chooses another endpoint, identity, public name or file."""
    if service.only and any(w[:1] == "-" and w not in service.only.split() for w in words):
        return True
    flags = {word.partition("=")[0] for word in words if word.startswith("-")}
    refused = (EVERYWHERE | PUBLIC_NAMES).difference(service.names)
    # SECURITY: `-R` may be joined to its value, and a long option may be shortened
    return not flags.isdisjoint(service.files) or any(
        _may_be(flag, refused, service.options) for flag in flags
    )


def _may_be(flag: str, refused: frozenset[str], short: str) -> bool:
    if flag.startswith("--"):
        return flag in refused or any(long.startswith(flag) for long in refused)
    return any(char in flag[1:] for char in short)


def _matches(pattern: str, word: str) -> bool:
    return LazyRegex(pattern).fullmatch(word) is not None


def _is_plain(word: str) -> bool:
    """Short, no file, no address, nothing that looks like a secret or asks for one."""
    value = word.partition("=")[2] if word.startswith("-") else ""
    if len(word) > MAX_WORD or any(
        _ODD.search(text) and not _RESOURCE.match(text) for text in (value, word)
    ):
        return False
    if _SECRET_WORD.search(word) or _ENVIRONMENT.search(word):
        return False
    return not any(_looks_random(run) for run in _LONG_RUN.findall(word))


def _looks_random(run: str) -> bool:
    return any(char.isdigit() for char in run) and any(char.isalpha() for char in run)


def _reads_api(words: Sequence[str], workspace: NamesOf | None) -> bool:
    """`gh api PATH`, sent with GET: of this repository (`repos/{owner}/{repo}/…`), of the user, or a search."""
    paths: list[str] = []
    method, fields, at = "", False, 1
    while at < len(words):
        word, at = words[at], at + 1
        flag, equals, value = word.partition("=")
        if flag in _API_FLAGS and not equals:
            continue
        if word[:2] in ("-X", "-q", "-f") and len(word) > 2 and word[1] != "-":
            flag, value = word[:2], word[2:]
        elif flag in _API_VALUES and not equals:
            value, at = (words[at] if at < len(words) else ""), at + 1
        elif flag not in _API_VALUES:
            if word.startswith("-"):
                return False
            paths.append(word)
            continue
        if not _is_plain(value):
            return False
        method = value if flag in ("-X", "--method") else method
        fields = fields or flag in ("-f", "--raw-field")
    if len(paths) != 1 or (method and method != "GET") or (fields and not method):
        return False
    path = paths[0].lstrip("/")
    match = _API_REPOSITORY.match(path)
    if match is not None and workspace is not None and workspace.names(match[1]):
        path = path.replace(match[1], "{owner}/{repo}", 1)
    return _API_PATH.fullmatch(path) is not None and _is_plain(path)
