"""The shapes of everything around metadata: local registry, manifest, catalogue, policy, settings.

ATIP 0.6 §4.3–4.8, ATIP 0.1 §3.3 and §5.1, delegation and tool context of §10. Policy and settings are
closed: a misspelt key there would silently allow something (SECURITY.md rule 6). Data.
"""

from __future__ import annotations

from atip.model.preset_names import NAMES, RETIRED
from atip.model.shapes.metadata import PATTERN, PROTOCOL, TIME, TOOL, URL, VERSION
from atip.model.shapes.shape import ANYTHING, Either, Field, Integer, Items, Shape, Table, Text

DIGEST = Text(pattern=r"^sha256:[a-fA-F0-9]{64}$", code="format.hash")
SIZE = Either({int: Integer(0), str: Text(pattern=r"^[0-9]+[kMG]?B?$")})

ENTRY = Shape(
    "registry entry",
    "one known tool: where it is and which bytes it had (§4.3)",
    {
        "path": Field(str, "absolute path", required=True),
        "hash": Field(DIGEST, "digest of the binary; by-name registries of 0.1 have none"),
        "source": Field(
            Text(choices=("native", "shim", "inferred", "manual"), code="format.entry-source"),
            "how its metadata was found",
        ),
        "shimRegistry": Field(str, "registry that the shim came from"),
        "lastChecked": Field(TIME, "when it was last checked"),
        "version": Field(str, "version of the tool"),
        "atipVersion": Field(str, "protocol of its metadata (0.1)"),
        "metadataPath": Field(str, "file of its metadata (0.1)"),
        "shimPath": Field(str, "file of its shim (0.1)"),
    },
)
REGISTRY = Shape(
    "local registry",
    "index of known tools, name → hash (§4.3)",
    {
        "version": Field(
            Text(choices=("2", "0.1"), code="format.registry-version"), "layout", required=True
        ),
        "updated": Field(TIME, "last change", required=True),
        "agent": Field(
            Shape(
                "agent",
                "who wrote it",
                {"name": Field(str, "name"), "version": Field(str, "version")},
            )
        ),
        "tools": Field(Table(ENTRY), "tools by name", required=True),
    },
)

SIGNER = Shape(
    "signer",
    "an identity whose signatures count",
    {
        "identity": Field(str, "certificate identity", required=True),
        "issuer": Field(URL, "issuer of the identity"),
    },
)
MANIFEST = Shape(
    "registry manifest",
    "`.well-known/atip-registry.json` (§4.4.2)",
    {
        "atip": Field(Either({str: VERSION, dict: PROTOCOL}), "protocol", required=True),
        "registry": Field(
            Shape(
                "registry",
                "identity of the registry",
                {
                    "name": Field(str, "name", required=True),
                    "url": Field(URL, "base address", required=True),
                    "type": Field(Text(choices=("static",)), "kind of host"),
                    "version": Field(str, "release"),
                },
            ),
            required=True,
        ),
        "endpoints": Field(
            Shape(
                "endpoints",
                "paths of the documents",
                {
                    "shims": Field(
                        Text(pattern=r"\{hash\}"), "template with `{hash}`", required=True
                    ),
                    "signatures": Field(Text(pattern=r"\{hash\}"), "template with `{hash}`"),
                    "catalog": Field(str, "catalogue"),
                    "patterns": Field(str, "patterns index"),
                    "metadata": Field(str, "TUF metadata"),
                },
            ),
            required=True,
        ),
        "trust": Field(
            Shape(
                "registry trust",
                "signatures, as the registry claims; a client may only be stricter",
                {
                    "requireSignatures": Field(bool, "every shim is signed"),
                    "signers": Field(Items(SIGNER), "who signs"),
                },
            )
        ),
    },
)
CATALOG_TOOL = Shape(
    "catalogue tool",
    "versions → platforms → hash (§4.4.4)",
    {
        "description": Field(str, "description"),
        "homepage": Field(str, "documentation"),
        "note": Field(str, "remark"),
        "versions": Field(Table(Table(DIGEST)), "version → platform → digest", required=True),
    },
)
CATALOG = Shape(
    "catalogue",
    "`shims/index.json` (§4.4.4)",
    {
        "version": Field(str, "layout", required=True),
        "updated": Field(TIME, "release time", required=True),
        "tools": Field(Table(CATALOG_TOOL), "tools by name", required=True),
        "totalShims": Field(Integer(0), "how many shims"),
    },
)

SOURCE = Shape(
    "registry source",
    "a remote registry that this user reads (§4.6)",
    {
        "name": Field(str, "name", required=True),
        "url": Field(URL, "base address", required=True),
        "enabled": Field(bool, "whether it is queried"),
        "priority": Field(Integer(0), "lower is queried first (A23)"),
        "requireSignatures": Field(bool, "unsigned shims are refused"),
        "signers": Field(Items(SIGNER), "whose signatures count; never taken from the registry"),
        "keys": Field(Items(Table(ANYTHING)), "public keys whose signatures count"),
        "root": Field(DIGEST, "pinned fingerprint of the TUF root"),
        "private": Field(bool, "its addresses may be private"),
        "organization": Field(bool, "its policy.json is in force here"),
        "names": Field(Items(str), "tools that only this registry may answer for"),
        "lookup": Field(Text(choices=("bins", "hash", "catalog")), "how hashes are looked up"),
        "auth": Field(
            Shape(
                "registry login",
                "how requests are authorized",
                {
                    "type": Field(Text(choices=("bearer",)), "kind", required=True),
                    "tokenEnvVar": Field(str, "variable that holds the token", required=True),
                },
                closed=True,
            )
        ),
    },
    closed=True,
)
SOURCES = Shape(
    "registries.json",
    "remote registries (§4.6)",
    {
        "registries": Field(Items(SOURCE), "in any order", required=True),
        "defaults": Field(
            Shape(
                "registry defaults",
                "for all of them",
                {
                    "cacheExpiry": Field(str, "how long an answer is fresh, such as `24h`"),
                    "requireSignatures": Field(bool, "unsigned shims are refused"),
                },
                closed=True,
            )
        ),
    },
    closed=True,
)

FACTS = Table(Either({bool: bool, str: str, list: Items(str)}))
"""`effects.destructive` or `destructive` → wanted value."""
PRESET = Text(choices=NAMES, retired=RETIRED)

RULE = Shape(
    "policy rule",
    "conditions and decision; an absent condition matches everything",
    {
        "name": Field(str, "shown in explanations"),
        "decision": Field(
            Text(choices=("allow", "ask", "deny")), "decision of the rule", required=True
        ),
        "tools": Field(Items(str), "tool names; `*` at the end is a wildcard"),
        "commands": Field(Items(str), "command paths such as `repo delete`; whole subtree"),
        "options": Field(Items(str), "canonical option names or flags"),
        "effects": Field(FACTS, "facts that must hold; unknown holds for ask and deny only"),
        "within": Field(
            Items(str), "the only dangers allowed; all others must be known to be absent"
        ),
        "paths": Field(Items(str), "paths touched, as `dir/**` or literal"),
        "hosts": Field(Items(str), "hosts reached, exact or `*.suffix`"),
        "trust": Field(Items(str), "trust levels"),
        "evidence": Field(Items(str), "sources of the metadata"),
        "words": Field(
            Items(str), "the whole call, word by word; `*` at the end: and anything more"
        ),
        "folders": Field(Items(str), "folders in which or below which the rule counts"),
        "until": Field(str, "when the rule ends, as `2026-01-15T10:30:00Z`"),
        "unsafeUnconfined": Field(bool, "files of the workspace may run outside of the sandbox"),
        "reason": Field(str, "shown to the user"),
        "once": Field(bool, "expires after the first line that it allows"),
        "match": Field(Items(str), "lines that it must match: `atip policy test`"),
        "not_match": Field(Items(str), "lines that it must not match"),
        "pin": Field(str, "of an MCP tool: digest of the settings of its server"),
    },
    closed=True,
)
POLICY_BODY = Shape(
    "policy",
    "organization or user policy (§4.8) with our rules",
    {
        "version": Field(str, "layout", required=True),
        "organization": Field(str, "whose policy"),
        "preset": Field(PRESET, "what to start from"),
        "approval": Field(
            Shape(
                "approval",
                "which binaries may run at all",
                {
                    "mode": Field(
                        Text(choices=("allowlist", "open")), "allowlist: unknown hash = deny"
                    ),
                    "note": Field(str, "remark"),
                },
                closed=True,
            )
        ),
        "trust": Field(
            Shape(
                "policy trust",
                "what must be proven",
                {
                    "requireSignatures": Field(bool, "unsigned shims are refused"),
                    "requireSignature": Field(bool, "older spelling"),
                    "allowedSigners": Field(
                        Items(Either({str: str, dict: SIGNER})), "who may sign"
                    ),
                    "minimumSlsaLevel": Field(Integer(0, 4), "least derived SLSA level"),
                    "builders": Field(Items(str), "builders that count"),
                    "sources": Field(Items(str), "source repositories that count"),
                },
                closed=True,
            )
        ),
        "execution": Field(
            Shape(
                "policy execution",
                "what needs confirmation, what is recorded",
                {
                    "requireConfirmation": Field(FACTS, "facts that need confirmation"),
                    "auditAllCalls": Field(bool, "refuse to run without a record"),
                    "budget": Field(Either({int: int, float: float}), "maximum cost"),
                    "sandbox": Field(Text(choices=("required", "preferred")), "confinement"),
                    "keepOutput": Field(bool, "complete outputs may be saved in the user's cache"),
                },
                closed=True,
            )
        ),
        "rules": Field(Items(RULE), "the strictest match decides, before the preset"),
        "default": Field(
            Text(choices=("allow", "ask", "deny")), "where neither rules nor preset match"
        ),
        "grants": Field(
            Shape(
                "policy grants",
                "maximum grants of a confined run; empty or absent: nothing",
                {
                    "hosts": Field(Items(str), "hosts, exact or `*.suffix`"),
                    "read": Field(Items(str), "folders, as `dir/**`"),
                    "write": Field(Items(str), "folders, as `dir/**`"),
                    "env": Field(Items(str), "names of variables"),
                    "private": Field(
                        Items(str), "names of `hosts` that may lead to private addresses"
                    ),
                    "tcp": Field(Items(str), "`host:port`, forwarded raw (databases)"),
                    "ingress": Field(Items(str), "loopback URLs that lead to a confined program"),
                    "workspace": Field(
                        Text(choices=("write", "read", "none")), "of the directory of a call"
                    ),
                },
                closed=True,
            )
        ),
    },
    closed=True,
)
ORGANIZATION = Shape(
    "organization registry",
    "a private registry and what must be proven of its shims (§3.2.2)",
    {
        "registry": Field(URL, "address of its shims", required=True),
        "policy": Field(
            Shape(
                "organization trust",
                "what must be proven; `trust` of a policy file (§4.8) says the same",
                {
                    "requireSignature": Field(bool, "unsigned shims are refused"),
                    "requireSignatures": Field(bool, "the spelling of §4.8"),
                    "allowedSigners": Field(
                        Items(Either({str: str, dict: SIGNER})), "who may sign"
                    ),
                    "minimumSlsaLevel": Field(Integer(0, 4), "least derived SLSA level"),
                },
            ),
            required=True,
        ),
    },
)
CACHE = Shape(
    "cache record",
    "fetched metadata of one tool (ATIP 0.1 §3.5.2)",
    {
        "tool": Field(str, "name of the tool", required=True),
        "version": Field(str, "version of the tool"),
        "atipVersion": Field(str, "protocol of its metadata"),
        "cachedAt": Field(TIME, "when it was fetched", required=True),
        "expiresAt": Field(TIME, "when it is fetched again"),
        "checksum": Field(DIGEST, "digest of the binary"),
        "metadata": Field(TOOL, "the metadata", required=True),
    },
)
POLICY = Shape(
    "policy file",
    "§4.8",
    {"policy": Field(POLICY_BODY, POLICY_BODY.doc, required=True)},
    closed=True,
)
PERMISSION_POLICY = Shape(
    "permission policy",
    "ATIP 0.1 §5",
    {
        "permissionPolicy": Field(
            Shape(
                "permissions",
                "effects that are allowed, confirmed or denied",
                {
                    "autoApprove": Field(FACTS, "runs without asking"),
                    "requireConfirmation": Field(FACTS, "asks"),
                    "deny": Field(FACTS, "refused"),
                },
                closed=True,
            ),
            required=True,
        )
    },
    closed=True,
)
DELEGATION = Shape(
    "delegation",
    "what a lead agent grants to another (§10.2)",
    {
        "delegation": Field(
            Shape(
                "delegated rights",
                "never more than the delegator has",
                {
                    "allowedTools": Field(Items(str), "absent: all; empty: none"),
                    "deniedCommands": Field(Items(str), "command lines without options"),
                    "effectRestrictions": Field(FACTS, "facts that must hold"),
                },
                closed=True,
            ),
            required=True,
        )
    },
    closed=True,
)
TOOL_CONTEXT = Shape(
    "tool context",
    "what one agent passes to another about its tools (§10.3)",
    {
        "toolContext": Field(
            Shape(
                "shared context",
                "state",
                {
                    "availableTools": Field(Items(str), "known tools"),
                    "authenticatedTools": Field(Items(str), "tools with a login"),
                    "recentCommands": Field(
                        Items(
                            Shape(
                                "recent command",
                                "one call",
                                {
                                    "tool": Field(str, "tool", required=True),
                                    "command": Field(str, "command", required=True),
                                    "exitCode": Field(Integer(), "its exit code"),
                                },
                            )
                        ),
                        "newest last",
                    ),
                },
            ),
            required=True,
        )
    },
)
CONFIG = Shape(
    "config.json",
    "the user's preferences (§4.2, 0.1 §3.3)",
    {
        "paths": Field(Items(str), "directories to scan instead of PATH"),
        "extraPaths": Field(Items(str), "directories to scan besides PATH"),
        "allow": Field(Items(str), "only these tools"),
        "deny": Field(Items(str), "never these tools"),
        "skip": Field(Items(str), "tools that are listed but never probed"),
        "redact": Field(Items(str), "metadata fields that are not stored"),
        "maxAge": Field(str, "age at which metadata is refreshed, such as `7d`"),
        "cmpPaths": Field(Items(str), "additional locations of CMP tools"),
        "cmpShell": Field(
            Items(str), "CMP tools (`domain/name`) whose templates may use a shell, confined"
        ),
        "mcpConfigs": Field(Items(str), "additional MCP client configurations to read"),
        "policy": Field(PRESET, "preset"),
        "keepFullOutput": Field(bool, "long outputs are saved in the cache"),
        "limits": Field(
            Shape(
                "limits",
                "probe limits",
                {
                    "timeoutSeconds": Field(
                        Either({int: Integer(1, 60), float: float}), "wall time"
                    ),
                    "outputBytes": Field(SIZE, "maximum output"),
                },
                closed=True,
            )
        ),
    },
    closed=True,
)
TRUST_SETTINGS = Shape(
    "trust.json",
    "what this user trusts (0.1 §3.3)",
    {
        "signers": Field(Items(SIGNER), "identities"),
        "keys": Field(Items(Table(ANYTHING)), "public keys"),
        "tools": Field(Table(Table(ANYTHING)), "approvals by tool"),
        "builders": Field(Items(str), "builders"),
        "sources": Field(Items(str), "source repositories"),
    },
    closed=True,
)
PATTERNS = Shape(
    "patterns file",
    "patterns stored separately from metadata (0.1 §3.6)",
    {"patterns": Field(Items(PATTERN), "common uses", required=True)},
)
COVERAGE = Shape(
    "coverage",
    "what a registry covers (§4.10.5)",
    {
        "coverage": Field(
            Shape(
                "coverage figures",
                "counts",
                {
                    "tracked_tools": Field(Integer(0), "tools"),
                    "total_shims": Field(Integer(0), "shims"),
                    "platforms": Field(Table(Integer(0)), "shims by platform"),
                    "by_source": Field(Table(Integer(0)), "shims by trust source"),
                    "missing": Field(Items(Table(ANYTHING)), "not described yet"),
                },
            ),
            required=True,
        )
    },
)
