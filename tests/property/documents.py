"""Random ATIP documents: valid, normalised, with vendor fields at every level."""

from __future__ import annotations

from hypothesis import strategies as st

WORD = st.from_regex(r"\A[a-z][a-z0-9-]{0,11}\Z")
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=40)
LINE = TEXT.map(lambda text: " ".join(text.split()) or "x")
FACT = st.booleans()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=3),
    max_leaves=6,
)
EXTRA = st.dictionaries(WORD.map("x-{}".format) | WORD.map("_{}".format), JSON, max_size=2)


def record(required: dict, optional: dict) -> st.SearchStrategy[dict]:
    """An object with extra vendor fields."""
    return st.builds(
        lambda base, extra: {**base, **extra},
        st.fixed_dictionaries(required, optional=optional),
        EXTRA,
    )


NONEMPTY = {"min_size": 1, "max_size": 3}
FILESYSTEM = record(
    {"write": FACT}, {"read": FACT, "delete": FACT, "paths": st.lists(TEXT, max_size=2)}
)
INTERACTIVE = record(
    {"stdin": st.sampled_from(["none", "optional", "required", "password"])},
    {"prompts": FACT, "tty": FACT},
)
COST = record({"billable": FACT}, {"estimate": st.sampled_from(["free", "low", "medium", "high"])})
DURATION = record({"typical": st.just("1-5s")}, {"timeout": st.just("60s")})
EFFECTS = record(
    {"destructive": FACT},
    {
        "filesystem": FILESYSTEM,
        "network": FACT,
        "subprocess": FACT,
        "idempotent": FACT,
        "reversible": FACT,
        "creates": st.lists(WORD, max_size=2),
        "modifies": st.lists(WORD, max_size=2),
        "deletes": st.lists(WORD, max_size=2),
        "interactive": INTERACTIVE,
        "cost": COST,
        "duration": DURATION,
    },
)
TYPE = st.sampled_from(
    ["string", "integer", "number", "boolean", "file", "directory", "url", "array"]
)
ARGUMENT = record(
    {"name": WORD, "type": TYPE, "description": LINE},
    {
        "required": FACT,
        "default": JSON,
        "variadic": FACT,
        "pattern": TEXT,
        "schema": st.just({"type": "string"}),
    },
)
OPTION = record(
    {
        "name": WORD,
        "flags": st.lists(WORD.map("--{}".format), **NONEMPTY),
        "type": TYPE,
        "description": LINE,
    },
    {
        "required": FACT,
        "default": JSON,
        "envVar": st.just("SOME_VAR"),
        "variadic": FACT,
        "exclusive": st.lists(WORD, max_size=2),
        "deprecated": FACT | LINE,
        "hidden": FACT,
    },
)
METHOD = record(
    {"type": st.sampled_from(["token", "oauth", "api-key", "password", "certificate"])},
    {
        "envVar": WORD,
        "setupCommand": TEXT,
        "configPath": TEXT,
        "scopes": st.lists(WORD, max_size=2),
        "description": TEXT,
    },
)
AUTHENTICATION = record(
    {"required": FACT}, {"methods": st.lists(METHOD, max_size=2), "checkCommand": TEXT}
)
COMMAND_LEAF = record(
    {"description": LINE},
    {
        "arguments": st.lists(ARGUMENT, max_size=2),
        "options": st.lists(OPTION, max_size=2),
        "effects": EFFECTS,
        "examples": st.lists(TEXT, max_size=2),
        "authentication": AUTHENTICATION,
        "aliases": st.lists(WORD, max_size=2),
        "title": LINE,
        "hidden": FACT,
    },
)
COMMANDS = st.recursive(
    st.dictionaries(WORD, COMMAND_LEAF, max_size=3),
    lambda below: st.dictionaries(
        WORD,
        st.builds(lambda leaf, children: {**leaf, "commands": children}, COMMAND_LEAF, below),
        max_size=2,
    ),
    max_leaves=4,
)
PATTERN = record(
    {
        "name": WORD,
        "description": LINE,
        "steps": st.lists(
            record({"command": st.just("x {who}")}, {"description": LINE}), **NONEMPTY
        ),
        "variables": st.just({"who": {"type": "string", "description": "somebody"}}),
    },
    {"tags": st.lists(WORD, max_size=2), "executable": FACT},
)
SIGNATURE = record({"type": st.sampled_from(["cosign", "gpg", "minisign"])}, {"identity": TEXT})
TRUST = record(
    {"source": st.sampled_from(["vendor", "org", "community", "user", "inferred"])},
    {
        "verified": FACT,
        "integrity": record({"checksum": st.just("sha256:" + "ab" * 32)}, {"signature": SIGNATURE}),
        "shimIntegrity": record(
            {"signature": SIGNATURE}, {"lastVerified": st.just("2026-01-15T00:00:00Z")}
        ),
        "provenance": record({"slsaLevel": st.integers(0, 4)}, {"builder": TEXT}),
    },
)
TOOL = record(
    {
        "atip": record(
            {"version": st.sampled_from(["0.4", "0.5", "0.6"])},
            {"features": st.just(["partial-discovery"])},
        ),
        "name": WORD.filter(lambda name: name not in ("con", "nul", "prn", "aux")),
        "version": st.just("1.2.3"),
        "description": LINE,
    },
    {
        "homepage": st.just("https://example.org"),
        "title": LINE,
        "license": st.just("MIT"),
        "trust": TRUST,
        "binary": record(
            {"hash": st.just("sha256:" + "0a" * 32)},
            {"name": WORD, "platform": st.just("linux-amd64")},
        ),
        "commands": COMMANDS,
        "globalOptions": st.lists(OPTION, max_size=2),
        "authentication": AUTHENTICATION,
        "effects": EFFECTS,
        "patterns": st.lists(PATTERN, max_size=2),
        "partial": FACT,
        "filter": record(
            {"depth": st.none() | st.integers(1, 9)}, {"commands": st.lists(WORD, max_size=2)}
        ),
        "totalCommands": st.just(9),
        "includedCommands": st.integers(0, 9),
        "omitted": record(
            {"reason": st.just("filtered")}, {"safetyAssumption": st.just("unknown")}
        ),
    },
)
