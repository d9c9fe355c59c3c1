#!/usr/bin/env bash
# ATM from the first section to the last, with the command line alone. Needs an empty HOME.
# Left out: §18 (acknowledgments) and Appendix B (estimates of tokens, written only where they save any): nothing to run. §13 (examples) is the manifest that §5 writes.
set -euo pipefail
cd "$HOME"
step() { echo "== $*"; }
mkdir -p shop && cd shop

step "§1–§4 an API as its document, and an SQLite database"
cat > openapi.json <<'JSON'
{"openapi": "3.0.3", "info": {"title": "Orders", "version": "1.0.0"}, "servers": [{"url": "https://orders.example.org"}],
 "paths": {"/orders/{id}": {
   "get": {"operationId": "getOrder", "summary": "Look at one order",
     "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}]},
   "delete": {"operationId": "deleteOrder", "summary": "Delete an order",
     "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}]}}}}
JSON
python3 - <<'PY'
import sqlite3
with sqlite3.connect("stock.db") as base:
    base.execute("create table items (id integer primary key, name text not null)")
    base.execute("insert into items values (1, 'rope')")
PY
cat > codegen.config.json <<'JSON'
{"language": "python", "sources": {
  "openapi": {"orders": {"type": "openapi", "spec": "openapi.json"}},
  "database": {"stock": {"type": "database", "url": "sqlite:///stock.db"}}}}
JSON

step "§16 a configuration that starts a program counts only after a person agreed to it"
mkdir ../other
echo '{"language": "python", "sources": {"mcp": {"x": {"type": "mcp", "command": "touch", "args": ["started"]}}}}' > ../other/codegen.config.json
if (cd ../other && atip api sync >/dev/null 2>&1); then echo "synchronized unasked"; exit 1; fi
test ! -e ../other/started

step "§5, §6 the manifest: written beside the configuration, with typed wrappers"
atip api sync
test -f .agent-ready.json

step "§7–§10 fields, sources, tools, authentication, token figures: judged, strict and by the schema"
atip api validate
atip api validate --schema-only
atip validate .agent-ready.json

step "§8 tools: listed, searched, described one by one"
atip api list
atip api list orders
atip api show orders.get_order | head -5

step "§15 calls under policy: a read of the database runs, a delete is not run unasked"
atip api call stock.list_items | grep -q rope
if atip api call orders.delete_order id:=1 --yes </dev/null >/dev/null 2>&1; then echo "deleted unasked"; exit 1; fi

step "§11, §12 extensions stay, newer minor versions are read with a warning"
sed 's/"specVersion": *"1.0.0"/"specVersion": "1.9.0", "x-team": {"a": 1}/' .agent-ready.json > newer.json
atip api validate --lenient newer.json

step "§5.3 beside a manifest of another generator"
mkdir ../foreign && cp .agent-ready.json ../foreign/ && cd ../foreign
atip api list
if atip api call orders.get_order id:=1 >/dev/null 2>&1; then exit 1; fi
cd ../shop

step "Appendix A sources by kind"
atip api list --json | grep -q '"database"'

step "§14, §17 as ATIP, and back"
atip api sync --definitions >/dev/null
atip convert --from atm --to atip .agent-ready.json --output ../shop.json
atip validate --lenient ../shop.json
atip convert --to atm ../shop.json 2>/dev/null | head -3
echo "walk finished"
