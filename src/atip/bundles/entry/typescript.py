"""The TypeScript twin of `define_cli`: one module with the types of AIP-29 and a `defineCli` with the same checks.

Made from the tables of `definition.py`, so that both languages accept the same fields and reject the same definitions with the
same codes. `entry_skeleton` writes an entry for one bundle. Pure text; nothing is run here.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from atip.bundles.entry.definition import ADAPTERS, IDENTITY, NAMES, REQUIRED

if TYPE_CHECKING:
    from atip.bundles.documents.bundle import Bundle

MODULE = "define-cli.ts"
ENTRY = "entry.ts"

_TYPES = """\
export interface CliContext { bundle: string; surface: string; folder: string; workspace: string }
export interface LoginArgs { context: CliContext; signal: AbortSignal }
export type LoginResult =
  | { ok: true }
  | { ok: false; reason: "user_cancelled" | "callback_failed" | "upstream_error"; message?: string };
export interface RefreshArgs { context: CliContext; signal: AbortSignal }
export type RefreshResult =
  | { ok: true; nextRefreshAt?: string }
  | { ok: false; reason: "auth_expired" | "upstream_error"; message?: string };
export interface ParseOutputArgs {
  exitCode: number;
  stdout: string;
  stderr: string;
  expected: { format: "text" | "json" | "yaml" | "binary" };
}
export interface ParseOutputResult {
  ok: boolean;
  value?: unknown;
  error?: { code: string; message: string; retryable?: boolean };
}
export interface DetectExpiryArgs { exitCode: number; stdout: string; stderr: string }

export interface CliDefinition {
  id: string;
  name: string;
  description: string;
  version?: string;
  bin: string;
  install?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  versionCheck?: Readonly<Record<string, unknown>>;
  sandbox?: Readonly<Record<string, unknown>>;
  commands?: Readonly<Record<string, unknown>>;
  login?: (args: LoginArgs) => Promise<LoginResult>;
  refresh?: (args: RefreshArgs) => Promise<RefreshResult>;
  parseOutput?: (args: ParseOutputArgs) => ParseOutputResult;
  detectExpiry?: (args: DetectExpiryArgs) => boolean;
  tags?: ReadonlyArray<string>;
  metadata?: Readonly<Record<string, unknown>>;
}
export type CliHandle = Readonly<CliDefinition>;
"""

_FUNCTION = """\
export interface Problem { path: string; code: string; message: string }

/** The definition is wrong; `problems` lists everything. */
export class DefinitionError extends Error {
  readonly code = "define.invalid";
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map((one) => `${one.path} ${one.message}`).join("; "));
  }
}

/** A handle for an entry with adapters. Does no input or output; throws `DefinitionError` with every problem. */
export function defineCli(definition: CliDefinition): CliHandle {
  const given = definition as unknown as Record<string, unknown>;
  const problems: Problem[] = [];
  for (const name of REQUIRED) {
    if (typeof given[name] !== "string" || given[name] === "") {
      problems.push({ path: `$.${name}`, code: "define.missing", message: "is required" });
    }
  }
  for (const name of Object.keys(given)) {
    if (!KNOWN.includes(name)) {
      problems.push({ path: `$.${name}`, code: "define.unknown", message: "is not part of a definition" });
    }
  }
  for (const name of ADAPTERS) {
    if (given[name] !== undefined && typeof given[name] !== "function") {
      problems.push({ path: `$.${name}`, code: "define.adapter", message: "must be a function" });
    }
  }
  if (problems.length > 0) throw new DefinitionError(problems);
  return Object.freeze({ ...definition });
}
"""


def render_module() -> str:
    """`define-cli.ts`: types, tables and the function; needs no package."""
    spelled = {python_name: typescript_name for typescript_name, python_name in NAMES.items()}
    required = json.dumps(list(REQUIRED))
    adapters = json.dumps([spelled.get(name, name) for name in ADAPTERS])
    allowed = json.dumps([spelled.get(name, name) for name in (*IDENTITY, "metadata", *ADAPTERS)])
    return (
        "// AIP-29 `defineCli` for TypeScript. Written by `atip bundle entry`; do not edit.\n\n"
        f"{_TYPES}\n"
        f"const REQUIRED: readonly string[] = {required};\n"
        f"const ADAPTERS: readonly string[] = {adapters};\n"
        f"const KNOWN: readonly string[] = {allowed};\n\n"
        f"{_FUNCTION}"
    )


def entry_skeleton(bundle: Bundle) -> str:
    """`entry.ts` of one bundle: its identity as CLI.md states it, and an adapter to start from."""
    fields = bundle.manifest.fields
    identity = "".join(
        f"  {name}: {json.dumps(str(fields[name]))},\n"
        for name in ("id", "name", "description", "version", "bin")
        if fields.get(name) is not None
    )
    return (
        'import { defineCli } from "./define-cli.ts";\n\n'
        "// The front matter of CLI.md stays the source of truth; an entry adds behavior only.\n"
        "export default defineCli({\n"
        f"{identity}"
        "  parseOutput({ exitCode, stdout, stderr }) {\n"
        "    if (exitCode !== 0) return { ok: false, error: { code: `exit-${exitCode}`, message: stderr.trim() } };\n"
        "    return { ok: true, value: stdout };\n"
        "  },\n"
        "});\n"
    )
