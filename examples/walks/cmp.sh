#!/usr/bin/env bash
# CMP 0.2.0 from the first section to the last, with the command line alone. Needs an empty HOME.
# Left out: §1 and §2 (terms, goals): nothing to run. Appendix A is the example of §3 and §4.
set -euo pipefail
tool=$HOME/.cmp/tools/jot
mkdir -p "$tool/cmp" "$tool/bin" "$HOME/.config/agent-tools" && cd "$HOME"
step() { echo "== $*"; }

step "§3 a manifest: domain, name, one line of summary, semantic version"
cat > "$tool/cmp/manifest.json" <<'JSON'
{"domain": "notes", "name": "jot", "summary": "Notes in plain files", "version": "1.0.0", "binary": "jot-cli"}
JSON

step "§4 a capability: patterns, a command template, typed values"
cat > "$tool/cmp/capability.json" <<'JSON'
{"intents": [
  {"patterns": ["say a note", "re:^read (the )?note"], "command": "jot-cli say {text} {times}", "idempotent": true,
   "params": {"text": {"type": "string", "required": true}, "times": {"type": "integer", "default": 1}}},
  {"patterns": ["drop every note"], "command": "jot-cli drop", "destructive": true, "confirm": true}
]}
JSON
echo '[{"intent": "say a note", "invocation": {"want": "say a note", "context": {"text": "milk"}}}]' > "$tool/cmp/examples.json"
printf '#!/bin/sh\nprintf "%%s\\n" "$*"\n' > "$tool/bin/jot-cli" && chmod +x "$tool/bin/jot-cli"

step "§3.4, §4 the documents are judged, one by one and as a folder"
atip validate "$tool/cmp"
atip lint "$tool/cmp"

step "§5 discovery: by folder, by request, as a snippet of constant size"
atip cmp list
atip cmp match say a note
atip cmp snippet | head -3

step "§6 a program that serves people and agents is told which of them asks; it runs under a rule of one line"
printf '#!/bin/sh\necho "agent=$CMP_AGENT $*"\n' > "$tool/bin/jot-cli"
echo "{\"policy\": {\"version\": \"1\", \"rules\": [{\"decision\": \"allow\", \"words\": [\"$tool/bin/jot-cli\", \"say\", \"*\"]}]}}" > policy.json
install -m 600 policy.json "$HOME/.config/agent-tools/policy.json"
mkdir -p work && cd work
atip cmp run "say a note" text=milk | grep -qx 'agent=1 say milk 1'
cd ..

step "§8 values in any order, argv without a shell, nothing destructive without a person"
atip cmp run "say a note" times:=2 text='two words; $(id)' --dry-run
if atip cmp run "drop every note" --yes; then echo "a destructive intent ran unasked"; exit 1; else test $? -eq 126; fi

step "§7, §9 other tools as CMP, and CMP as other formats"
printf '{"manifest": %s, "capability": %s}' "$(cat "$tool/cmp/manifest.json")" "$(cat "$tool/cmp/capability.json")" > jot.json
atip convert --from cmp --to atip jot.json --output jot.atip.json
atip convert --to cmp jot.atip.json > back.json
atip convert --from cmp --to usage jot.json 2>/dev/null | head -3

step "§10, Appendix B a newer version is read with a warning; tools of 0.1.0 move to today's folders"
sed 's/"version"/"cmp": "0.9.0", "version"/' "$tool/cmp/manifest.json" > newer.json
atip validate --lenient newer.json
mkdir -p old/cmp && cp "$tool/cmp/manifest.json" "$tool/cmp/capability.json" old/cmp/
atip cmp migrate old --to migrated || test $? -eq 1
echo "walk finished"
