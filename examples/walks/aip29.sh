#!/usr/bin/env bash
# AIP-29 CLI.md from the first section to the last, with the command line alone. Needs an empty HOME and jq.
# Words in capitals are the parts of the specification, as in conformance/requirements.jsonl.
# Left out: OPEN (questions; answered in docs/formats/resolutions.md), RULES (for hosts; held by tests), EXAMPLE (needs gh and a login).
set -euo pipefail
WALK=$(realpath "$0")
cd "$HOME"
step() { echo "== $*"; }
mkdir -p work .config/agent-tools

step "LOCATION, FRONTMATTER, OPTIONAL, BODY: a folder with CLI.md, strict and by the schema"
mkdir -p bundles/jq/tools/query bundles/jq/intents
cat > bundles/jq/CLI.md <<'MD'
---
name: jq
id: jq
description: Filters, reshapes and counts JSON of standard input or of a file in the workspace.
version: 1.0.0
bin: jq
install:
  - { method: apt, package: jq }
  - { method: choco, package: jq }
  - { method: scoop, package: jq }
version_check:
  cmd: "jq --version"
  parse: 'jq-(\S+)'
  range: ">=1.5 <2"
setup:
  - { id: team, kind: prompt, prompt: "Which team?", type: text, persist: { env: WALK_TEAM } }
sandbox:
  network: { egress: [] }
  fs: { read: ["./**"], write: [] }
  exec: { allow: false }
  env: { pass: [] }
output:
  default_format: json
  exit_codes: { 0: ok, 2: usage_error, 3: compile_error, 5: error }
commands:
  .: ./tools/query/TOOL.md
tags: [json, offline]
examples:
  - { goal: "names of all dependencies", cmd: "jq .dependencies package.json" }
---

## When to reach for this CLI

Whenever a JSON document has to be searched or reshaped.

## Gotchas

- A filter is a program of its own language.

## Debugging

- Exit code 3 means that the filter could not be compiled.

## Reference

- Manual: https://jqlang.org/manual/
MD
cp "$(dirname "$WALK")/../bundles/jq/tools/query/TOOL.md" bundles/jq/tools/query/TOOL.md
atip bundle validate bundles/jq

step "INSTALL, VERSION, SECURITY: the plan, consent, what is asked for; nothing without a yes"
atip bundle install bundles/jq --dry-run
if atip bundle install bundles/jq 2>/dev/null; then echo "installed unasked"; exit 1; else test $? -eq 126; fi
atip bundle install bundles/jq --yes

step "SETUP, SURFACE, STATE: a pending step is named; an answer settles it once for this workspace"
cd work
atip bundle doctor ../bundles/jq || test $? -eq 1
atip bundle setup ../bundles/jq --answer team=walkers
atip bundle status ../bundles/jq

step "AUTH: without a login block there is nothing to log in to"
atip bundle login ../bundles/jq --check

step "COMMANDS, ARGV, INHERIT, SANDBOX, OUTPUT: typed inputs, confined to what the bundle declares; meanings of exit codes"
echo '{"dependencies": {"a": 1}}' > package.json
atip bundle run ../bundles/jq --dry-run --args '{"filter": ".dependencies", "file": "package.json"}'
atip bundle run ../bundles/jq --args '{"filter": ".dependencies", "file": "package.json"}' | grep -q '"a"'
if atip bundle run ../bundles/jq --args '{"filter": "][", "file": "package.json"}' >/dev/null 2>&1; then exit 1; fi
if atip bundle run ../bundles/jq --args '{"wrong": 1}' >/dev/null 2>&1; then exit 1; fi
cd ..

step "INTENTS: a request in the words of a person is an id of its own"
cat > bundles/jq/intents/names.INTENT.md <<'MD'
---
name: Names
id: jq.names
label: Names of a document
description: The keys of a JSON document.
version: 1.0.0
intent: { en: ["names of a document"] }
surfaces: [chat]
implements:
  - { tool: ../tools/query/TOOL.md, default: true }
---
MD
if (cd work && atip bundle run ../bundles/jq jq.names >/dev/null 2>&1); then echo "a changed bundle ran"; exit 1; fi
atip bundle install bundles/jq --yes >/dev/null
cd work
atip bundle run ../bundles/jq jq.names --args '{"filter": ".dependencies", "file": "package.json"}' | grep -q '"a"'
cd ..

step "RUNNER: an image is used where a container runtime is there, and else refused; never the host instead"
cp -r bundles/jq boxed && sed -i 's/^bin: jq/bin: jq\nrunner: { engine: docker, image: "localhost\/nothing-of-that-name:1" }/' boxed/CLI.md
if (cd work && atip bundle run ../boxed --args '{"filter": "."}' >/dev/null 2>&1); then echo "ran on the host"; exit 1; fi

step "IDENTITY: known by id and major version; DEFINECLI: an entry of its own, in Python and TypeScript"
atip bundle status --json | grep -q '"jq@1"'
atip bundle entry bundles/jq --language python --out entries >/dev/null
atip bundle entry bundles/jq --language typescript --out entries >/dev/null

step "COMPAT: the bundle as a prerequisite, and as other formats"
atip bundle skill bundles/jq | head -3
atip convert --from climd --to atip bundles/jq/CLI.md --output jq.json
atip validate --lenient jq.json

step "SKILL: authoring, a bundle from what is known of a program"
atip bundle init ls --to drafts
atip bundle validate drafts

step "remove: program, ledger, login and secrets are forgotten"
atip bundle remove bundles/jq
echo "walk finished"
