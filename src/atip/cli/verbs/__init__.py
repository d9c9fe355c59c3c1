"""The verbs, one file each: `NOUN/VERB.py`, or `GROUP/VERB.py` for a verb of one word. This table is what `atip --help` shows.

Only the file of the verb that was typed is imported.
"""

from __future__ import annotations

VERBS: dict[str, tuple[str, str]] = {
    # verb: (group, one line); without a group it works and is not listed
    "init": ("this machine", "set up your coding agents: guard, MCP server, scan"),
    "scan": ("this machine", "find every tool and store its metadata"),
    "list": ("this machine", "known tools, one line each"),
    "search": ("this machine", "find commands by intent, over all known tools"),
    "show": ("this machine", "one tool or command: options, effects, evidence"),
    "probe": ("this machine", "run one tool for its own metadata, confined"),
    "infer": ("this machine", "infer metadata of one tool from framework, help or manual"),
    "forget": ("this machine", "remove tools from the index"),
    "explain": ("running", "what a shell line will do, and whether policy allows it"),
    "run": ("running", "run a tool under policy and sandbox"),
    "undo": ("running", "restore the files that a confined line changed"),
    "call": ("running", "run a model's tool call, print the provider's result message"),
    "observe": ("running", "run confined and traced; compare with the declared effects"),
    "verify": ("running", "the trust verdict on a tool or file, step by step"),
    "validate": ("documents", "check documents against the specifications"),
    "lint": ("documents", "find what is unwise, contradictory or poisoned in metadata"),
    "diff": ("documents", "compare two versions: breaking, compatible, effects"),
    "convert": ("documents", "translate between formats, with a report of what is lost"),
    "compile": ("documents", "functions for OpenAI, Anthropic, Gemini or MCP"),
    "tokens": ("agents", "what tools cost a model's context, in several representations"),
    "schema": ("documents", "print a JSON Schema of one of our documents"),
    "ui": ("this machine", "pages about this machine: tools, log, approvals, policies"),
    "doctor": ("this machine", "test what works here, and how to get the rest"),
    "verify-bundle": ("", "the command protocol of the public Sigstore conformance suite"),
    "completion": ("this machine", "print a completion script for your shell"),
}

FOLDERS = {
    # group: the package of its verbs; a noun is a package of its own
    "this machine": "machine",
    "running": "running",
    "documents": "documents",
    "agents": "documents",
    "": "documents",
}

GROUPS: dict[str, str] = {
    # noun: what its verbs are for
    "api": "call APIs, MCP servers and databases under policy",
    "approvals": "remembered approvals: list, revoke",
    "audit": "the record of runs and decisions",
    "bundle": "programs described by a CLI.md bundle: install, set up, run",
    "cmp": "tools described by CMP: match a request, run it",
    "context": "a short note for AGENTS.md, and tool context between agents",
    "crawl": "fill a registry from packages",
    "guard": "judge what coding agents want to run: install, log, switch off",
    "mcp": "serve this machine's tools to MCP clients",
    "policy": "the policies in force, and their decision on a line",
    "registry": "use and publish registries of tool metadata",
}

NOUNS: dict[str, dict[str, str]] = {
    "bundle": {
        "init": "write a CLI.md bundle for a program from its metadata",
        "validate": "check bundles against AIP-29",
        "install": "install a bundle's program: plan, consent, version check",
        "status": "status of bundles: installed, set up, logged in, ready",
        "setup": "run the pending setup steps of a bundle, each once",
        "login": "log in by the bundle's own flow, confined",
        "run": "run a tool of a bundle, confined to what it declares",
        "doctor": "what is missing, and the exact command that fixes it",
        "skill": "print a SKILL.md that declares the bundle as prerequisite",
        "entry": "write an entry with adapters, in Python or TypeScript",
        "remove": "remove a bundle and what was installed for it",
    },
    "cmp": {
        "list": "CMP tools: name, domain, summary",
        "match": "match a request to an intent, and explain why",
        "run": "run the intent that matches a request, under policy and sandbox",
        "snippet": "the CMP instruction for AGENTS.md",
        "install": "write a known tool as a CMP tool",
        "migrate": "convert tools of CMP 0.1.0 to the current layout",
    },
    "api": {
        "init": "find API documents, MCP servers and databases of a project",
        "approve": "approve the programs, secrets and hosts of a configuration",
        "sync": "update wrappers and the manifest",
        "list": "sources, or the operations of one",
        "show": "one operation: arguments, effects, where it goes",
        "call": "call an operation under policy",
        "validate": "check an `.agent-ready.json`",
    },
    "mcp": {
        "serve": "serve all known tools to any MCP client through three fixed tools",
        "config": "print or write a client's entry for the server",
        "approve": "accept a tool's changed description after review",
    },
    "context": {
        "snippet": "the note for AGENTS.md, in fewer than 100 tokens",
        "export": "the tool context of this machine for another agent",
        "import": "check a tool context of another agent against this machine",
    },
    "approvals": {
        "list": "remembered approvals: what was allowed, where, until when",
        "revoke": "revoke remembered approvals",
    },
    "audit": {
        "show": "what was run, newest last",
        "output": "the complete output of a run whose result was truncated",
        "verify": "check the hash chain; report the first broken record",
    },
    "registry": {
        "add": "add a remote registry: show its identity and pin it",
        "list": "remote registries: pins, shims, state",
        "remove": "remove a remote registry and its metadata",
        "sync": "look up every known tool in every registry, privately",
        "build": "a registry from a folder of contributions, with signed metadata",
        "sign": "sign shims, refresh metadata, replace keys",
        "check": "check a registry for everything that clients would refuse",
        "site": "the static catalogue of a registry: pages, search, feeds",
        "serve": "serve a registry on loopback, for development",
    },
    "crawl": {
        "crawl": "fill a registry from packages: `atip crawl apt:jq --out DIR`",
        "check": "new releases of tracked tools, without downloading them",
        "generate": "a shim from a local program, for a contribution by hand",
        "review": "shims waiting for review: accept, reject, edit, promote",
        "coverage": "how much a registry describes, what is missing, who claimed it",
        "status": "the state of a crawl: packages, outcomes, refusals",
    },
    "guard": {
        "hook": "judge what a coding agent wants to run, by its hook protocol; `atip guard` for short",
        "install": "add the hook to the settings of a coding agent",
        "serve": "keep the guard loaded, so that hooks answer faster",
        "uninstall": "remove the hook",
        "status": "which coding agents call the hook; test it through their own files",
        "off": "switch the guard off for a limited time; confirmed on the terminal",
        "on": "switch the guard on again",
        "log": "what was decided, why, and how long it took",
        "learn": "propose the smallest rules for what you approved",
        "statusline": "today's decisions in one line, for the prompt of an agent",
    },
    "policy": {
        "show": "the policies in force, layer by layer",
        "check": "the decision on a shell line, as an exit code",
        "allow": "allow a command line without confirmation, here or everywhere",
        "deny": "deny a command line, here or everywhere",
        "suggest": "suggest grants for what confined lines needed and did not get",
        "init": "write an initial policy file, for the project or yourself",
        "approve": "approve what the project's policy file would allow",
        "test": "check the examples inside policy files",
    },
}
"""Verbs with a second word: noun → {verb: one line}."""

BARE = {"guard": "hook", "context": "snippet"}
"""Nouns with a hidden default verb: `atip guard --for codex` is `atip guard hook --for codex`."""

DEFAULTS = {"crawl": "crawl"}
"""Nouns with a default verb: `atip crawl apt:jq` is `atip crawl crawl apt:jq`."""
