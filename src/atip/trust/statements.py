"""In-toto statements and SLSA provenance v0.2 and v1: the content of a verified payload. Read only after verification.

Implements in-toto Statement v0.1/v1 and https://slsa.dev/provenance/v0.2 and /v1 as far as subject, builder and
source go. Extracts claims only; `provenance` decides whether they suffice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.errors import FormatError
from atip.model.reading.reader import read_json
from atip.model.text.digest import Digest, find_digest
from atip.model.value import Value

if TYPE_CHECKING:
    from atip.trust.digests import Artifact

IN_TOTO = "application/vnd.in-toto+json"
STATEMENTS = ("https://in-toto.io/Statement/v0.1", "https://in-toto.io/Statement/v1")
SLSA_V02 = "https://slsa.dev/provenance/v0.2"
SLSA_V1 = "https://slsa.dev/provenance/v1"
MAX_SUBJECTS = 10_000


class Statement(Value):
    """Subjects of a statement, and its predicate."""

    subjects: tuple[tuple[Digest, ...], ...]
    predicate_type: str
    predicate: object = None

    def names(self, artifact: Artifact) -> bool:
        """Whether one subject is the artifact: every digest of it that we can compute must agree, one at least."""
        return any(self._is_same(digests, artifact) for digests in self.subjects)

    def _is_same(self, digests: tuple[Digest, ...], artifact: Artifact) -> bool:
        comparable = [digest for digest in digests if digest.algorithm in artifact.digests]
        return bool(comparable) and all(artifact.matches(digest) for digest in comparable)


class BuildOrigin(Value):
    """Builder and sources of an artifact, as its provenance claims."""

    builder: str
    sources: tuple[str, ...]
    """Every spelling of the source in the document, normalized; more than one means they disagree."""
    build_type: str


def find_statement(payload: bytes, payload_type: str) -> Statement | None:
    """The statement in a payload, or None when it is not one."""
    if payload_type != IN_TOTO:
        return None
    try:
        value: Any = read_json(payload)
    except FormatError:
        return None
    if not isinstance(value, dict) or value.get("_type") not in STATEMENTS:
        return None
    subjects, kind = value.get("subject"), value.get("predicateType")
    if not isinstance(subjects, list) or not isinstance(kind, str) or len(subjects) > MAX_SUBJECTS:
        return None
    return Statement(
        subjects=tuple(_digests(subject) for subject in subjects),
        predicate_type=kind,
        predicate=value.get("predicate"),
    )


def _digests(subject: Any) -> tuple[Digest, ...]:
    table = subject.get("digest") if isinstance(subject, dict) else None
    if not isinstance(table, dict):
        return ()
    digests = [find_digest(f"{name}:{value}") for name, value in table.items()]
    return tuple(digest for digest in digests if digest is not None)


def find_origin(statement: Statement) -> BuildOrigin | None:
    """Builder and source of a SLSA provenance; None for other predicates and for incomplete ones."""
    predicate: Any = statement.predicate
    if not isinstance(predicate, dict):
        return None
    if statement.predicate_type == SLSA_V1:
        return _origin_v1(predicate)
    if statement.predicate_type == SLSA_V02:
        return _origin_v02(predicate)
    return None


def _origin_v1(predicate: dict[str, Any]) -> BuildOrigin | None:
    build = _table(predicate, "buildDefinition")
    builder = _table(_table(predicate, "runDetails"), "builder").get("id")
    workflow = _table(_table(build, "externalParameters"), "workflow").get("repository")
    first = _first(build.get("resolvedDependencies")).get("uri")
    return _origin(builder, build.get("buildType"), [workflow, first])


def _origin_v02(predicate: dict[str, Any]) -> BuildOrigin | None:
    builder = _table(predicate, "builder").get("id")
    source = _table(_table(predicate, "invocation"), "configSource").get("uri")
    first = _first(predicate.get("materials")).get("uri")
    return _origin(builder, predicate.get("buildType"), [source, first])


def _origin(builder: object, build_type: object, sources: list[object]) -> BuildOrigin | None:
    if not (isinstance(builder, str) and builder and isinstance(build_type, str)):
        return None
    normalized = [
        normalize_source(source) for source in sources if isinstance(source, str) and source
    ]
    return BuildOrigin(
        builder=builder, build_type=build_type, sources=tuple(dict.fromkeys(normalized))
    )


def normalize_source(uri: str) -> str:
    """`git+https://host/owner/repo.git@refs/tags/v1` → `https://host/owner/repo`."""
    text = uri.removeprefix("git+")
    scheme, mark, rest = text.partition("://")
    # A `@` before the first slash belongs to the host, not to a revision.
    host, slash, path = rest.partition("/")
    path = path.partition("@")[0].partition("#")[0].removesuffix("/").removesuffix(".git")
    return f"{scheme.lower()}{mark}{host.lower()}{slash}{path}" if mark else text


def _table(value: dict[str, Any], name: str) -> dict[str, Any]:
    table = value.get(name)
    return table if isinstance(table, dict) else {}


def _first(value: object) -> dict[str, Any]:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return value[0]
    return {}
