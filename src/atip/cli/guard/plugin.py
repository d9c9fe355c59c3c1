"""The plugin of opencode, which has no hooks: a program of a few lines that asks the guard and refuses what is not allowed.

The file is ours as a whole; its first line says so. It fails closed: no answer, no permission.
"""

from __future__ import annotations

import json

FIRST_LINE = (
    "// atip guard: refuses what policy does not allow. Written by `atip guard install opencode`."
)
_TEXT = """
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"

const COMMAND = %(command)s

const judge = (line, cwd) => {
  const ran = spawnSync(COMMAND[0], COMMAND.slice(1), {
    input: JSON.stringify({ line, cwd }), encoding: "utf8", timeout: %(limit)s, killSignal: "SIGKILL",
  })
  try {
    if (ran.status === 0) return JSON.parse(ran.stdout)
  } catch {}
  return { decision: "deny", reason: "atip guard did not answer" }
}

export const AtipGuard = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (input.tool !== "bash") return
    const said = judge(output.args.command, resolve(directory, output.args.workdir ?? "."))
    if (said.decision === "allow") {
      if (said.line) output.args.command = said.line
      return
    }
    throw new Error(said.decision === "ask" ? `needs a person's yes: ${said.reason}` : said.reason)
  },
})
"""
_MARK = "const COMMAND = "


def plugin_text(program: str, limit_s: int) -> str:
    command = [program, "guard", "hook", "--for", "opencode", "--record"]
    filled = {"command": json.dumps(command), "limit": limit_s * 1000}
    return f"{FIRST_LINE}\n{_TEXT % filled}"


def is_plugin(text: str) -> bool:
    """Whether a file is ours."""
    return text.startswith(FIRST_LINE)


def command_of(text: str) -> list[str]:
    """The argv that a plugin of ours calls; empty: it cannot be read."""
    for line in text.splitlines():
        if line.startswith(_MARK):
            try:
                found = json.loads(line.removeprefix(_MARK))
            except ValueError:
                return []
            return [str(word) for word in found] if isinstance(found, list) else []
    return []
