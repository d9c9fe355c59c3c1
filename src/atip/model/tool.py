"""Tool: everything that ATIP 0.6 (and 0.1) can express about one command-line tool.

Values only: decoding is in `model/reading/decode.py`, writing in `model/reading/encode.py`, judging in `model/shapes/check.py`. Field names
follow the spec in snake case. Every wire object keeps `extra`: fields we do not know, vendor
fields (`x-…`), internal (`_…`) and schema (`$…`) ones, all written back (§12.2).
`None` means not stated; empty means stated as none.
"""

from __future__ import annotations

from atip.model.effects import NO_EXTRA, UNKNOWN, Effects
from atip.model.value import Value, brief

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Path = tuple[str, ...]
    """Path of a command in the tree; `()` is the tool itself."""


class _Missing:
    """Type of MISSING, to distinguish a `default` of JSON `null` from no default."""

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = _Missing()

BOOLEAN = "boolean"
TYPES = ("string", "integer", "number", "boolean", "file", "directory", "url", "enum", "array")
"""The type system of §3.7."""


class Argument(Value):
    """A positional (§3.4). `required` absent means true."""

    name: str
    type: str = "string"
    description: str = ""
    required: bool | None = None
    default: object = MISSING
    variadic: bool | None = None
    enum: tuple[object, ...] | None = None
    pattern: str | None = None
    schema: Mapping[str, object] | None = None
    extra: Mapping[str, object] = NO_EXTRA

    @property
    def is_required(self) -> bool:
        return self.required is not False


class Option(Value):
    """A flag or an option with a value (§3.5). `required` absent means false (A31)."""

    name: str
    flags: tuple[str, ...] = ()
    type: str = "string"
    description: str = ""
    required: bool | None = None
    default: object = MISSING
    enum: tuple[object, ...] | None = None
    env_var: str | None = None
    variadic: bool | None = None
    pattern: str | None = None
    exclusive: tuple[str, ...] | None = None
    """Names of options that may not be given together with this one (0.1)."""
    schema: Mapping[str, object] | None = None
    deprecated: bool | str | None = None
    hidden: bool | None = None
    extra: Mapping[str, object] = NO_EXTRA

    @property
    def is_required(self) -> bool:
        return self.required is True

    @property
    def takes_value(self) -> bool:
        return self.type != BOOLEAN

    @property
    def own(self) -> Mapping[str, object]:
        """Our vendor block `x-atip`: `effects` that the flag adds, `runs`, `dryRun` … (§12.2)."""
        return _vendor(self.extra)


class Command(Value):
    """A command or a group of commands (§3.3)."""

    description: str = ""
    commands: Mapping[str, Command] | None = None
    arguments: tuple[Argument, ...] | None = None
    options: tuple[Option, ...] | None = None
    effects: Effects = UNKNOWN
    examples: tuple[str, ...] | None = None
    aliases: tuple[str, ...] | None = None
    authentication: Authentication | None = None
    deprecated: bool | str | None = None
    hidden: bool | None = None
    usage: str | None = None
    title: str | None = None
    extra: Mapping[str, object] = NO_EXTRA

    def __repr__(self) -> str:
        counts = f"{len(self.commands or ())} commands, {len(self.options or ())} options"
        return f"Command({brief(self.description)}, {counts})"

    @property
    def own(self) -> Mapping[str, object]:
        """Our vendor block `x-atip`."""
        return _vendor(self.extra)


class AuthenticationMethod(Value):
    """One way to log in (§3.8)."""

    type: str | None = None
    env_var: str | None = None
    setup_command: str | None = None
    description: str | None = None
    config_path: str | None = None
    scopes: tuple[str, ...] | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Authentication(Value):
    """Whether and how the tool needs a login (§3.8)."""

    required: bool | None = None
    methods: tuple[AuthenticationMethod, ...] | None = None
    check_command: str | None = None
    scopes: tuple[str, ...] | None = None
    extra: Mapping[str, object] = NO_EXTRA


class PatternStep(Value):
    """One step of a pattern. `command` is a template with `{variables}` (A38)."""

    command: str
    description: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Variable(Value):
    """A template variable of a pattern."""

    type: str | None = None
    description: str | None = None
    default: object = MISSING
    required: bool | None = None
    enum: tuple[object, ...] | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Pattern(Value):
    """A known way to use tools together (§3.9). `executable` absent means false."""

    name: str
    description: str = ""
    steps: tuple[PatternStep, ...] = ()
    variables: Mapping[str, Variable] | None = None
    tags: tuple[str, ...] | None = None
    executable: bool | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Signature(Value):
    """A claim that something is signed, and by which signer. Verified, never trusted (A6)."""

    type: str | None = None
    identity: str | None = None
    issuer: str | None = None
    bundle: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Integrity(Value):
    """`trust.integrity`: about the binary."""

    checksum: str | None = None
    signature: Signature | None = None
    extra: Mapping[str, object] = NO_EXTRA


class ShimIntegrity(Value):
    """`trust.shimIntegrity`: about the shim itself (A5)."""

    signature: Signature | None = None
    last_verified: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Provenance(Value):
    """`trust.provenance`: where the binary was built, as claimed."""

    url: str | None = None
    format: str | None = None
    slsa_level: int | None = None
    builder: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Trust(Value):
    """Claims of a document about itself (§3.2.2). Verified facts are in a `Verdict`."""

    source: str | None = None
    verified: bool | None = None
    integrity: Integrity | None = None
    shim_integrity: ShimIntegrity | None = None
    signature: Signature | None = None
    """Legacy alias of `shim_integrity.signature` (A5)."""
    provenance: Provenance | None = None
    extra: Mapping[str, object] = NO_EXTRA

    @property
    def shim_signature(self) -> Signature | None:
        """The signature over the shim's own bytes; never the binary's (A5)."""
        if self.shim_integrity is not None and self.shim_integrity.signature is not None:
            return self.shim_integrity.signature
        return self.signature


class Binary(Value):
    """The executable a shim describes (§4.5). `hash` is `sha256:` + 64 lower-case hex digits."""

    hash: str | None = None
    name: str | None = None
    version: str | None = None
    platform: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Protocol(Value):
    """The `atip` field: version and features (§3.2.1)."""

    version: str = "0.6"
    features: tuple[str, ...] | None = None
    min_agent_version: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Filter(Value):
    """Commands and depth that a partial response was limited to (§3.1.1). `depth` MISSING: not written."""

    commands: tuple[str, ...] | None = None
    depth: object = MISSING
    extra: Mapping[str, object] = NO_EXTRA


class Omission(Value):
    """Why commands are missing and what to assume of them (§3.1.1)."""

    reason: str | None = None
    safety_assumption: str | None = None
    extra: Mapping[str, object] = NO_EXTRA


class Tool(Value):
    """One tool, as known from one or several sources."""

    name: str
    version: str = ""
    description: str = ""
    protocol: Protocol = Protocol()
    homepage: str | None = None
    title: str | None = None
    license: str | None = None
    trust: Trust | None = None
    binary: Binary | None = None
    commands: Mapping[str, Command] | None = None
    arguments: tuple[Argument, ...] | None = None
    options: tuple[Option, ...] | None = None
    """Positionals and options of the bare tool where a document puts them at the root."""
    global_options: tuple[Option, ...] | None = None
    authentication: Authentication | None = None
    effects: Effects = UNKNOWN
    patterns: tuple[Pattern, ...] | None = None
    examples: tuple[str, ...] | None = None
    partial: bool | None = None
    filter: Filter | None = None
    total_commands: int | None = None
    included_commands: int | None = None
    omitted: Omission | None = None
    extra: Mapping[str, object] = NO_EXTRA

    @property
    def own(self) -> Mapping[str, object]:
        """Our vendor block `x-atip`."""
        return _vendor(self.extra)

    def __repr__(self) -> str:
        version = f", version={brief(self.version, 30)}" if self.version else ""
        return f"Tool({brief(self.name)}{version}, {sum(1 for _ in self.walk())} commands)"

    def find(self, path: Path) -> Command | None:
        """The command at `path`, by name (not by alias); `None` if the tree has none (A12)."""
        commands = self.commands
        command: Command | None = None
        for name in path:
            command = (commands or {}).get(name)
            if command is None:
                return None
            commands = command.commands
        return command

    def walk(self) -> Iterator[tuple[Path, Command]]:
        """Every command and group, parents first, in document order."""
        stack: list[tuple[Path, Command]] = [((), Command(commands=self.commands))]
        while stack:
            path, command = stack.pop()
            if path:
                yield path, command
            children = list((command.commands or {}).items())
            stack.extend(((*path, name), child) for name, child in reversed(children))


def _vendor(extra: Mapping[str, object]) -> Mapping[str, object]:
    block = extra.get("x-atip") if extra else None
    return block if isinstance(block, dict) else NO_EXTRA
