"""The verbs, one file each; command path = file path. This table is what `atip --help` shows.

Only the file of the verb that was typed is imported.
"""

from __future__ import annotations

VERBS: dict[str, tuple[str, str]] = {
    # verb: (group, one line); without a group it works and is not listed
    "scan": ("this machine", "find every tool and remember what can be known"),
    "list": ("this machine", "what is known, one line per tool"),
    "search": ("this machine", "commands by intent, over everything known"),
    "show": ("this machine", "one tool or command: options, effects, evidence"),
    "probe": ("this machine", "ask one tool for its metadata, confined"),
    "infer": (
        "this machine",
        "metadata for one tool from its framework, completions, help, manual",
    ),
    "forget": ("this machine", "remove tools from the index"),
    "explain": ("running", "what a shell line will do, and whether it may"),
    "guard": ("running", "the same as a permission hook for coding agents"),
    "run": ("running", "run a tool under policy and sandbox"),
    "call": ("running", "run a model's tool call and print the provider's result message"),
    "observe": ("running", "run confined and traced: what it did against what is declared"),
    "verify": ("running", "the trust verdict on a tool or file, step by step"),
    "validate": ("documents", "check documents against the specifications"),
    "lint": ("documents", "find what is unwise, contradictory or poisoned in metadata"),
    "diff": ("documents", "compare two versions: breaking, compatible, effects"),
    "convert": ("documents", "translate between formats, with a report of what is lost"),
    "compile": ("documents", "functions for OpenAI, Anthropic, Gemini or MCP"),
    "context": ("agents", "what to put into AGENTS.md, in fewer than 100 tokens"),
    "tokens": ("agents", "what tools cost a model's context, told in different ways"),
    "schema": ("documents", "print a JSON Schema of one of our documents"),
    "doctor": ("this machine", "prove what works here and say how to get the rest"),
    "verify-bundle": ("", "the command protocol of the public Sigstore conformance suite"),
    "completion": ("this machine", "print a completion script for your shell"),
}

NOUNS: dict[str, dict[str, str]] = {
    "bundle": {
        "init": "write a CLI.md bundle for a program from what is known of it",
        "validate": "check bundles against AIP-29",
        "install": "install a bundle's program: plan, consent, version check",
        "status": "where bundles stand: installed, set up, logged in, ready",
        "setup": "run the pending setup steps of a bundle, each once",
        "login": "log in by the bundle's own flow, confined",
        "run": "run a tool of a bundle, confined to what it declares",
        "doctor": "what is missing, and the exact command that fixes it",
        "skill": "print a SKILL.md that declares the bundle as prerequisite",
        "remove": "forget a bundle and what was installed for it",
    },
    "cmp": {
        "list": "CMP tools: name, domain, summary",
        "match": "which intent a request means, and why",
        "run": "run what a request means, under policy and sandbox",
        "snippet": "the CMP instruction for AGENTS.md",
        "install": "write a known tool out as a CMP tool",
        "migrate": "move tools of CMP 0.1.0 into today's folders",
    },
    "api": {
        "init": "find API documents, MCP servers and databases of a project",
        "sync": "bring wrappers and the manifest up to date",
        "list": "sources, or the operations of one",
        "show": "one operation: arguments, effects, where it goes",
        "call": "call an operation under policy",
        "validate": "check an `.agent-ready.json`",
    },
    "mcp": {
        "serve": "serve everything known to any MCP client with three constant tools",
        "config": "print or write a client's entry for the server",
        "approve": "accept a tool's changed description after looking at it",
    },
    "approvals": {
        "list": "remembered approvals: what was allowed, where, until when",
        "revoke": "take remembered approvals back",
    },
    "audit": {
        "show": "what was run, newest last",
        "output": "the whole output of a run whose Result was cut",
        "verify": "follow the chain; name the first broken record",
    },
    "registry": {
        "add": "add a remote registry: shows who it is and pins it",
        "list": "remote registries: how they are pinned, what they gave",
        "remove": "forget a remote registry and everything it said",
        "sync": "look up every known tool in every registry, privately",
        "build": "a registry from a folder of contributions, with signed metadata",
        "sign": "sign shims, refresh metadata, replace keys",
        "check": "everything that a client would refuse, before it does",
        "serve": "serve a registry on loopback, for development",
    },
    "policy": {
        "show": "the policies in force, layer by layer",
        "check": "the decision on a shell line, as an exit code",
    },
}
"""Verbs with a second word: noun → {verb: one line}."""
