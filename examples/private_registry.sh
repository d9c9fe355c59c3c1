#!/usr/bin/env bash
# A private registry with an organization's policy, on loopback: built, signed, served; a machine adds it by its fingerprint.
# Needs an empty HOME. On a real machine the files of `public` lie on any web server (docs/guides/private-registry.md).
set -euo pipefail
cd "$HOME"
mkdir -p bin registry/shims keys work
printf '#!/bin/sh\necho "Usage: ledger [--close YEAR]"; echo "  --close YEAR  close the books of a year"\n' > bin/ledger
chmod +x bin/ledger
export PATH="$HOME/bin:$PATH"

echo "== the organization: a description by hash, a policy, its keys"
atip infer "$HOME/bin/ledger" --output registry/shims
echo '{"name": "Acme", "url": "http://127.0.0.1:1"}' > registry/publisher.json
cat > registry/policy.json <<'JSON'
{"policy": {"version": "1", "organization": "Acme", "rules": [
  {"name": "books", "decision": "deny", "tools": ["ledger"], "reason": "books are closed by the finance team"}]}}
JSON
atip registry sign registry --inferred --keys keys >/dev/null
fingerprint=$(atip registry build registry --to public --keys keys | sed -n 's/^fingerprint: //p')
atip registry check public

echo "== a machine of the organization"
coproc SERVER { exec atip registry serve public --port 0 2>&1; }
server=$SERVER_PID
trap 'kill "$server" 2>/dev/null || true' EXIT
read -r line <&"${SERVER[0]}"
url=$(grep -o 'http://[0-9.:]*' <<<"$line" | head -1)
atip registry add "$url" --name acme --fingerprint "$fingerprint" --organization
atip scan --path "$HOME/bin" --refresh >/dev/null || test $? -eq 1

echo "== its policy is in force, and no rule of the user loosens it"
cd work
echo '{"policy": {"version": "1", "rules": [{"decision": "allow", "words": ["ledger", "*"]}]}}' > ../mine.json
install -D -m 600 ../mine.json "$HOME/.config/agent-tools/policy.json"
if atip run ledger --close 2026 2> ../refused; then echo "the books were closed"; exit 1; else test $? -eq 126; fi
grep -q 'finance team' ../refused
echo "example finished"
