#!/usr/bin/env bash
# ATIP 0.6 from the first section to the last, with the command line alone. Needs an empty HOME.
# Left out: §1 and §2 (why the protocol exists, what it aims at), §15 (references): nothing to run.
# Left out: Appendix A (names for Python programs, see docs/reference/python.md).
set -euo pipefail
cd "$HOME"
step() { echo "== $*"; }
mkdir -p opt/bin opt/libexec work contributions/shims keys

step "§3.1 a program that answers --agent, and one that does not"
cat > jot.json <<'JSON'
{"atip": {"version": "0.6", "features": ["partial-discovery", "patterns-v1"]}, "name": "jot", "version": "1.0.0",
 "description": "Notes in plain files",
 "trust": {"source": "native", "verified": false},
 "authentication": {"required": false},
 "commands": {
   "list": {"description": "List notes", "examples": ["jot list"],
     "effects": {"filesystem": {"read": true, "write": false, "delete": false}, "network": false, "destructive": false}},
   "add": {"description": "Add a note", "arguments": [{"name": "text", "type": "string", "required": true, "description": "What to note"}],
     "options": [{"name": "tag", "flags": ["-t", "--tag"], "type": "enum", "enum": ["home", "work"], "description": "Where it belongs"}],
     "effects": {"filesystem": {"write": true}, "network": false, "idempotent": false, "creates": ["note"]}},
   "drop": {"description": "Drop every note", "effects": {"filesystem": {"delete": true}, "destructive": true, "reversible": false}}},
 "patterns": [{"name": "look", "description": "List twice", "executable": true,
   "steps": [{"command": "jot list"}, {"command": "echo {word}"}], "variables": {"word": {"type": "string", "description": "The last word"}}}]}
JSON
cat > opt/libexec/jot <<SH
#!/bin/sh
# --agent
case \$1 in --agent) cat <<'JSON'
$(cat jot.json)
JSON
;; --help) echo "usage: jot COMMAND; --agent prints metadata" ;; *) echo "jot \$*" ;; esac
SH
printf '#!/bin/sh\nexec "$(dirname "$0")/../libexec/jot" "$@"\n' > opt/bin/jot
printf '#!/bin/sh\necho "Usage: tally [--quiet] FILE"; echo "  --quiet  print nothing"\n' > opt/bin/tally
chmod +x opt/bin/* opt/libexec/jot

step "§3.2–3.8 the document is judged: schema, versions, trust, commands, effects, types"
atip validate jot.json
atip lint jot.json || test $? -eq 1
echo '{"registry": "https://atip.internal.example/shims/", "policy": {"requireSignature": true, "minimumSlsaLevel": 2}}' | atip validate

step "§5 discovery: a scan, confined; a wrapper is followed; the second scan starts nothing"
export PATH="$HOME/opt/bin:$PATH"
atip scan --path "$HOME/opt/bin"
atip scan --path "$HOME/opt/bin" | grep -q "nothing changed"
atip list
atip show jot drop
atip show jot --depth 1 --json | grep -q '"partial"'

step "§3.9 patterns: advisory by default, executable ones step by step under policy"
cd work
cat > "$HOME/grant.json" <<'JSON'
{"policy": {"version": "1", "rules": [{"decision": "allow", "tools": ["jot"], "commands": ["list", "add"]}]}}
JSON
install -D -m 600 "$HOME/grant.json" "$HOME/.config/agent-tools/policy.json"
atip run --pattern --dry-run jot.look word=done
atip run --pattern jot.look word=done | tail -1 | grep -qx done

step "§4.5, §4.9 a shim for a program that does not answer: by the hash of its bytes"
cd "$HOME"
atip infer "$HOME/opt/bin/tally" --output contributions/shims
hash=$(sha256sum opt/bin/tally | cut -d' ' -f1)
atip validate "contributions/shims/$hash.json"

step "§4.1–4.3 a shim counts by the hash in its name; one that is about other bytes is set aside"
store="$HOME/.local/share/agent-tools"
mkdir -p "$store/shims/sha256"
cp "contributions/shims/$hash.json" "$store/shims/sha256/"
atip scan --path "$HOME/opt/bin" --refresh >/dev/null
atip show tally --json | grep -q quiet
sed -i "s/sha256:$hash/sha256:$(printf '0%.0s' {1..64})/" "$store/shims/sha256/$hash.json"
atip show tally >/dev/null 2>&1 || true
test -n "$(ls "$store/quarantine")"

step "§4.4, §4.8 a registry: built, signed, checked, served; added by its fingerprint; synchronized"
cat > contributions/publisher.json <<'JSON'
{"name": "Walk", "url": "http://127.0.0.1:1"}
JSON
atip registry sign contributions --inferred --keys keys >/dev/null
fingerprint=$(atip registry build contributions --to public --keys keys | sed -n 's/^fingerprint: //p')
atip registry check public
coproc SERVER { exec atip registry serve public --port 0 2>&1; }
server=$SERVER_PID
trap 'kill "$server" 2>/dev/null || true' EXIT
read -r line <&"${SERVER[0]}"
url=$(grep -o 'http://[0-9.:]*' <<<"$line" | head -1)
atip registry add "$url" --name walk --fingerprint "$fingerprint"
atip registry sync || test $? -eq 1
atip registry list

step "§4.6 registries of one command alone, from its environment"
ATIP_REGISTRIES="$url" atip scan --path "$HOME/opt/bin" --refresh >/dev/null || test $? -eq 1

step "§4.7 offline nothing is asked"
ATIP_OFFLINE=1 atip registry sync --json >/dev/null
kill "$server"; trap - EXIT

step "§4.10 the crawler: a shim of a program of this machine, coverage of a registry, what waits for a person"
atip crawl generate "$HOME/opt/bin/tally" --version 1.0 --output generated >/dev/null
test -f "generated/$hash.json"
atip crawl coverage contributions | head -3

step "§6 execution: direct, under policy and sandbox; nothing destructive without a person"
cd work
test "$(atip run jot list)" = "jot list"
if atip run --yes jot drop 2>/dev/null; then echo "a destructive command ran unasked"; exit 1; else test $? -eq 126; fi
atip explain 'jot list && jot drop' || test $? -le 1

step "§7, §8 function calling: every provider, flags in descriptions, creates and examples on request"
for provider in openai anthropic gemini mcp; do atip compile jot --for "$provider" | grep -q DESTRUCTIVE; done
atip compile jot --creates --examples | grep -q 'CREATES: note'
echo '{"type": "tool_use", "id": "1", "name": "jot_list", "input": {}}' | atip call --for anthropic --tools jot | grep -q tool_result

step "§9, §10 agents: search instead of a server, context from one to another"
atip search list notes | grep -q jot
atip context export --tools jot > ../context.json
atip context import ../context.json | grep -q 'grants nothing'

step "§11 security: secrets leave redacted, every run is on record"
atip run echo "token ghp_$(printf 'a1B2c3%.0s' 1 2 3 4 5 6)" | grep -q redacted
atip audit verify

step "Appendix B the schemas are printed, and say the same as the verb"
atip schema | head -3
atip schema 0.6 | grep -q '"$schema"'

step "§12 extensions stay; §13 the smallest program; §14 conversion"
cd "$HOME"
echo '{"atip": {"version": "0.6"}, "name": "x", "version": "1", "description": "does", "x-vendor": {"a": 1}}' > x.json
atip validate x.json
atip convert --to atip x.json | grep -q x-vendor
atip convert --to usage jot.json 2>/dev/null | head -2
echo "walk finished"
