"""A scripted program with login, refresh, expiry and setup commands, and the bundle around it.

Its memory is the folder `~/.config/fake`, which the bundle's sandbox grants; `calls.log` there shows every command
that really ran. A file `slow-NAME` there makes the command NAME wait, so that a test can kill the host meanwhile.
"""

from __future__ import annotations

import pathlib

PROGRAM = r"""#!/usr/bin/python3
import json, os, pathlib, sys, time

home = os.environ.get("HOME", "/nowhere")
state = pathlib.Path(home) / ".config" / "fake"
words = sys.argv[1:]
if words == ["--version"]:
    print("fake 1.4.2")
    sys.exit(0)
name = words[0] if words else ""
with open(state / "calls.log", "a") as log:
    log.write(" ".join(words) + "\n")
if (state / f"slow-{name}").exists():
    time.sleep(60)
token = state / "token"
if name == "login":
    token.write_text("good")
elif name == "login-typed":
    import getpass
    assert os.isatty(0) and os.isatty(1)
    user = input("User: ")
    secret = getpass.getpass("Password: ")
    print(f"welcome {user}")
    if (user, secret) != ("ann", "s3cret word"):
        sys.exit(1)
    (state / "terminal").write_text(str(os.fstat(0).st_rdev))
    token.write_text("good")
elif name == "login-callback":
    said = sys.stdin.read()
    if "code=" in said:
        token.write_text("good")
    else:
        print(words[1] + "?code=9")
elif name == "whoami":
    sys.exit(0 if token.exists() and token.read_text() == "good" else 3)
elif name == "refresh":
    sys.exit(0 if token.exists() else 1)
elif name == "set":
    (state / f"set-{words[1]}").write_text(words[2])
elif name == "daemon":
    (state / "daemon").write_text("up")
elif name == "daemon-status":
    sys.exit(0 if (state / "daemon").exists() else 1)
elif name == "list":
    if not token.exists() or token.read_text() != "good":
        print("not logged in", file=sys.stderr)
        sys.exit(4)
    print(json.dumps({"args": words[1:], "url": os.environ.get("FAKE_URL") == "wss://y", "token": os.environ.get("FAKE_TOKEN")}))
elif name == "escape":
    try:
        pathlib.Path(words[1]).write_text("escaped")
        print("escaped")
    except OSError as error:
        print(type(error).__name__)
elif name == "fail":
    print("it failed", file=sys.stderr)
    sys.exit(int(words[1]))
"""

MANIFEST = """---
name: Fake
id: fake
description: A scripted program.
version: 1.0.0
bin: fake
install:
  - { method: vendored, path: ./bin/fake }
version_check: { cmd: "fake --version", parse: 'fake (\\S+)', range: ">=1.4 <2" }
setup:
  - { id: daemon, kind: cmd, cmd: "fake daemon", skip_if: { cmd: "fake daemon-status" } }
  - { id: url, kind: prompt, prompt: "URL", default: "wss://x", persist: { env: FAKE_URL } }
  - { id: token, kind: prompt, type: secret, prompt: "Token", persist: { secret_slug: fake-token } }
  - { id: region, kind: prompt, type: select, prompt: "Region", options: [eu, us], persist: { cmd: "fake set region ${value}" } }
  - { id: channel, kind: external, url: "https://example.com/pick", callback: { param: id, timeout_ms: 20000 }, persist: { cmd: "fake set channel ${value}" } }
  - { id: ready, kind: cmd, cmd: "fake set ready yes" }
auth:
  ref: ./SECRETS.md
  state: { paths: ["~/.config/fake"], env: [FAKE_TOKEN] }
  login:
    cmd: "LOGIN"
    interactive: true
    requires_callback_url: CALLBACK
    completes_when: { cmd: "fake whoami", exit_code: 0 }
  refresh: { cmd: "fake refresh", every: PT1H }
  expiry: { detect: "exit_code:4" }
sandbox:
  network: { egress: [] }
  fs: { read: ["./**"], write: ["~/.config/fake/**"], deny: ["~/.ssh/**"] }
  exec: { allow: false }
  env: { pass: [HOME, FAKE_TOKEN], set: { FAKE_MODE: test } }
output:
  default_format: json
  exit_codes: { 0: ok, 1: error, 4: auth_required, 7: stale_data }
bin_args: []
commands:
  list: ./tools/list/TOOL.md
  escape: ./tools/escape/TOOL.md
  fail: ./tools/fail/TOOL.md
---
"""
SECRETS = """---
secrets:
  - slug: fake-token
    name: Token
    description: For the fake.
    exposures: [{ kind: env, name: FAKE_TOKEN, field: value }]
---
"""
TOOL = """---
name: {name}
id: fake.{name}
description: Does {name}.
version: 1.0.0
inputs: {{ type: object, properties: {{ value: {{ type: string }} }} }}
outputs: {{ type: object }}
approval: auto
runner: {{ cli: ../../CLI.md, argv: [{name}, "${{input.value | optional}}"] }}
---
"""


def write_fake(
    folder: pathlib.Path, *, callback: bool = False, setup: bool = True, typed: bool = False
) -> pathlib.Path:
    """The bundle's folder."""
    login = "fake login-callback ${callback_url}" if callback else "fake login"
    login = "fake login-typed" if typed else login
    manifest = MANIFEST.replace("LOGIN", login).replace("CALLBACK", "true" if callback else "false")
    if not setup:
        before, _, rest = manifest.partition("setup:\n")
        manifest = before + rest[rest.index("auth:\n") :]
    files = {"CLI.md": manifest, "SECRETS.md": SECRETS, "bin/fake": PROGRAM}
    for name in ("list", "escape", "fail"):
        files[f"tools/{name}/TOOL.md"] = TOOL.format(name=name)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "bin" / "fake").chmod(0o755)
    return folder
