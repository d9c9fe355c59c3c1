"""The plugin for opencode, which has no hooks: a short program that calls the guard and refuses what is not allowed.

The whole file is generated; its first line says so. It fails closed: no answer, no permission.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST_LINE = (
    "// atip guard: refuses what policy does not allow. Written by `atip guard install opencode`."
)
_TEXT = """
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"

const COMMAND = %(command)s

const SILENT = new Set(%(silent)s)
const OWN = new Set(%(own)s)

const judge = (asked) => {
  const ran = spawnSync(COMMAND[0], COMMAND.slice(1), {
    input: JSON.stringify(asked), encoding: "utf8", timeout: %(limit)s, killSignal: "SIGKILL",
  })
  try {
    if (ran.status === 0) return JSON.parse(ran.stdout)
  } catch {}
  return { decision: "deny", reason: "atip guard did not answer" }
}

const agents = new Map()
const mode = (session) => (agents.get(session) === "plan" ? { permission_mode: "plan" } : {})

export const AtipGuard = async ({ directory }) => ({
  "chat.params": async (input) => {
    agents.set(input.sessionID, input.agent?.name ?? input.agent)
  },
  "tool.execute.before": async (input, output) => {
    if (SILENT.has(input.tool) || (SILENT.has("mcp") && !OWN.has(input.tool))) return
    const cwd = resolve(directory, output.args.workdir ?? ".")
    const shell = input.tool === "bash"
    const asked = shell ? { line: output.args.command } : { tool: input.tool, arguments: output.args ?? {} }
    const said = judge({ ...asked, cwd, ...mode(input.sessionID) })
    if (!shell && said.decision === "none") return
    if (said.decision === "allow") {
      if (said.line) output.args.command = said.line
      return
    }
    throw new Error(said.decision === "ask" ? `needs the user's confirmation: ${said.reason}` : said.reason)
  },
})
"""
_SILENT = (
    *(
        "todowrite", "todoread", "task", "skill", "lsp", "question", "batch", "invalid", "plan_enter", "plan_exit",
    ),
    *("websearch", "codesearch"),
)  # fmt: skip
"""Tools of opencode that neither touch files nor reach a host of the model's choice."""
_OWN = ("bash", "write", "edit", "multiedit", "patch", "apply_patch", "read", "glob", "grep", "list", "webfetch")  # fmt: skip
"""Tools of opencode itself that are judged; others are MCP tools."""
_MARK = "const COMMAND = "


def plugin_text(program: str, limit_s: int, without: Sequence[str] = ()) -> str:
    """Return the source of the plugin.

    Args:
        without: tools not to judge, besides those without effects on files or the network.
    """
    silent = sorted({*_SILENT, *without} - {"bash"})
    command = [program, "guard", "hook", "--for", "opencode", "--record"]
    filled = {
        "command": json.dumps(command),
        "limit": limit_s * 1000,
        "silent": json.dumps(silent),
        "own": json.dumps(_OWN),
    }
    return f"{FIRST_LINE}\n{_TEXT % filled}"


def is_plugin(text: str) -> bool:
    """Whether a file is our plugin."""
    return text.startswith(FIRST_LINE)


def command_of(text: str) -> list[str]:
    """The argv in the text of a plugin; empty: it cannot be read."""
    for line in text.splitlines():
        if line.startswith(_MARK):
            try:
                words = json.loads(line.removeprefix(_MARK))
            except ValueError:
                return []
            return [str(word) for word in words] if isinstance(words, list) else []
    return []
