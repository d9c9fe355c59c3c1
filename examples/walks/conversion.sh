#!/usr/bin/env bash
# Our knowledge leaves and comes back: one tool in every format, with every loss. Needs an empty HOME.
set -euo pipefail
cd "$HOME"
cat > boat.json <<'JSON'
{"atip": {"version": "0.6"}, "name": "boat", "version": "1.0.0", "description": "Load and sail",
 "commands": {"load": {"description": "Load a crate",
   "arguments": [{"name": "crate", "type": "file", "description": "What to load"}],
   "options": [{"name": "force", "flags": ["-f", "--force"], "type": "boolean", "description": "Replace what is there"}],
   "effects": {"filesystem": {"write": true}, "destructive": true}}}}
JSON
atip validate boat.json
for format in usage fig opencli; do
  atip convert --to "$format" boat.json --output "boat.$format" 2> "losses.$format"
  grep -q 'lost \$' "losses.$format"
  atip convert --from "$format" --to atip "boat.$format" --output "back.$format.json"
  atip validate "back.$format.json"
done
grep -q 'effect="destructive"' boat.usage
for shell in bash zsh fish; do atip convert --to "completion-$shell" boat.json --output "boat.$shell" 2>/dev/null; done
bash -n boat.bash
atip convert --to man boat.json 2>/dev/null | head -2
if atip convert --to fig --fail-on-loss boat.json >/dev/null 2>&1; then echo "losses were not counted"; exit 1; fi
atip convert --losses | head -3
echo "walk finished"
