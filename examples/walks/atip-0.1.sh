#!/usr/bin/env bash
# ATIP 0.1 from the first section to the last, with the command line alone. Needs an empty HOME.
# What 0.6 says in the same words is in atip.sh. Left out: §1 and §2 (why the protocol exists, what it aims at): nothing to run.
set -euo pipefail
cd "$HOME"
step() { echo "== $*"; }
mkdir -p bin work .cursor .local/share/agent-tools/patterns .local/share/agent-tools/overrides

step "§3.1 --agent prints one document and does nothing else"
cat > tide.json <<'JSON'
{"atip": "0.1", "name": "tide", "version": "2.1.0", "description": "When the water comes", "license": "MIT",
 "commands": {"next": {"description": "The next high water", "effects": {"network": false, "destructive": false,
   "filesystem": {"read": true, "write": false, "delete": false}}}},
 "patterns": [{"name": "today", "description": "Of the tool", "steps": [{"command": "tide next"}]}]}
JSON
{ printf '#!/bin/sh\n# --agent\ncase $1 in --agent) cat <<"JSON"\n'; cat tide.json; printf 'JSON\n;; --help) echo "usage: tide next; --agent" ;; *) echo 04:10 ;; esac\n'; } > bin/tide
chmod +x bin/tide
export PATH="$HOME/bin:$PATH"

step "§3.2 the document: fields of 0.1 that 0.6 dropped are kept"
atip validate tide.json
atip convert --to atip tide.json | grep -q MIT

step "§3.3, §3.4 canonical places; discovery of programs, and of MCP servers that clients know"
echo '{"mcpServers": {"files": {"command": "/nowhere/server"}}}' > .cursor/mcp.json
atip_program=$(command -v atip)
PATH="$HOME/bin" "$atip_program" scan > scanned
grep -q 'MCP servers (known, not started)' scanned
atip scan --path "$HOME/bin" >/dev/null
test -n "$(ls .local/share/agent-tools)"
atip show tide next

step "§3.5 a record of the cache is judged with the metadata in it"
printf '{"tool": "tide", "version": "2.1.0", "atipVersion": "0.1", "cachedAt": "2026-01-05T10:30:00Z", "expiresAt": "2026-01-12T10:30:00Z", "checksum": "sha256:%064d", "metadata": %s}' 0 "$(cat tide.json)" > record.json
atip validate record.json

step "§3.6 layers: a pattern of the user goes before the tool's own, an override before all"
echo '[{"name": "today", "description": "Of the user", "steps": [{"command": "tide next"}]}]' > .local/share/agent-tools/patterns/tide.json
atip show tide > shown
grep -q 'Of the user' shown

step "§4 one agent tells another what it knows; that grants nothing"
cd work
atip context export --tools tide > ../context.json
atip context import ../context.json | grep -q 'grants nothing'

step "§5 a read that a person allowed runs, confined and on record"
echo '{"policy": {"version": "1", "rules": [{"decision": "allow", "tools": ["tide"], "commands": ["next"]}]}}' > ../policy.json
install -D -m 600 ../policy.json "$HOME/.config/agent-tools/policy.json"
test "$(atip run tide next)" = 04:10
atip audit verify

step "§6, §9 a program that says nothing of itself: a shim from its help"
printf '#!/bin/sh\necho "Usage: ebb [--quiet] FILE"; echo "  --quiet  print nothing"\n' > ../bin/ebb
chmod +x ../bin/ebb && mkdir shims
atip infer "$HOME/bin/ebb" --output shims
atip validate shims/*.json

step "§7 beside MCP: everything known, served to a client"
atip mcp config --help >/dev/null
atip compile tide --for mcp | grep -q tide_next

step "§8, §10 the example of the specification in its own schema"
atip schema 0.1 | head -2
atip validate --lenient ../tide.json
echo "walk finished"
