"""Small real projects through `run --line`: dependencies from a registry that policy grants, build, test – confined, and the same as outside."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import threading
import zipfile

import pytest

from tests.cli.run import atip

pytestmark = pytest.mark.sandbox

PYTHON = "/usr/bin/python3"


def wheel() -> bytes:
    """A package of one function, `greeting`."""
    files = {
        "greeting/__init__.py": b"def hello(name):\n    return f'hello {name}'\n",
        "greeting-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n",
        "greeting-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{name},sha256={_b64(data)},{len(data)}" for name, data in files.items()]
    files["greeting-1.0.dist-info/RECORD"] = "\n".join((*rows, "greeting-1.0.dist-info/RECORD,,", "")).encode()  # fmt: skip
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return written.getvalue()


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def tarball() -> bytes:
    written = io.BytesIO()
    files = {
        "package/package.json": json.dumps({"name": "greeting", "version": "1.0.0", "main": "index.js"}),
        "package/index.js": "module.exports = (name) => `hello ${name}`;\n",
    }  # fmt: skip
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return written.getvalue()


class Registry:
    """A registry for pip and npm on loopback."""

    def __init__(self) -> None:
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                kind, data = outer.answer(self.path)
                self.send_response(200 if kind else 404)
                self.send_header("Content-Type", kind or "text/plain")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.asked: list[str] = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.wheel, self.tarball = wheel(), tarball()
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def answer(self, path: str) -> tuple[str, bytes]:
        if path.endswith(".whl"):
            return "application/octet-stream", self.wheel
        if path.endswith(".tgz"):
            return "application/octet-stream", self.tarball
        if path.startswith("/simple/greeting"):
            name = "greeting-1.0-py3-none-any.whl"
            digest = hashlib.sha256(self.wheel).hexdigest()
            return "text/html", f'<a href="/{name}#sha256={digest}">{name}</a>'.encode()
        if path == "/greeting":
            version = {"name": "greeting", "version": "1.0.0", "dist": {"tarball": self.url("greeting-1.0.0.tgz"), "integrity": self.integrity}}  # fmt: skip
            document = {"name": "greeting", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}  # fmt: skip
            return "application/json", json.dumps(document).encode()
        return "", b"not found"

    @property
    def integrity(self) -> str:
        return "sha512-" + base64.b64encode(hashlib.sha512(self.tarball).digest()).decode()

    def url(self, path: str) -> str:
        return f"http://localhost:{self.port}/{path}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(timeout=10)


@pytest.fixture
def registry():
    found = Registry()
    yield found
    found.close()


@pytest.fixture
def home(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "home/work").mkdir(parents=True)
    return tmp_path / "home"


def python_project(work: pathlib.Path, registry: Registry) -> tuple[str, ...]:
    (work / "requirements.txt").write_text("greeting==1.0\n")
    (work / "test_it.py").write_text(
        "import unittest, sys\nsys.path.insert(0, 'deps')\nimport greeting\n"
        "class T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(greeting.hello('x'), 'hello x')\n"
    )
    return (
        f"{PYTHON} -m pip install -q --no-compile --target deps -r requirements.txt",
        f"{PYTHON} -B -m compileall -q --invalidation-mode unchecked-hash test_it.py",
        f"{PYTHON} -B -m unittest -q test_it",
    )


def node_project(work: pathlib.Path, registry: Registry) -> tuple[str, ...]:
    package = {
        "name": "work", "version": "1.0.0", "dependencies": {"greeting": "1.0.0"},
        "scripts": {"build": "node build.js", "test": "node built.js"},
    }  # fmt: skip
    entry = {"version": "1.0.0", "resolved": registry.url("greeting-1.0.0.tgz"), "integrity": registry.integrity}  # fmt: skip
    lock = {
        "name": "work", "version": "1.0.0", "lockfileVersion": 3, "requires": True,
        "packages": {"": {k: package[k] for k in ("name", "version", "dependencies")}, "node_modules/greeting": entry},
    }  # fmt: skip
    (work / "package.json").write_text(json.dumps(package))
    (work / "package-lock.json").write_text(json.dumps(lock))
    (work / "build.js").write_text("require('fs').writeFileSync('built.js', `if (require('greeting')('x') !== 'hello x') process.exit(3);`);\n")  # fmt: skip
    return ("npm ci --no-audit --no-fund", "npm run build", "npm test")


def c_project(work: pathlib.Path, _registry: Registry) -> tuple[str, ...]:
    (work / "add.c").write_text("int add(int a, int b) { return a + b; }\n")
    (work / "test.c").write_text("int add(int, int);\nint main(void) { return add(2, 2) == 4 ? 0 : 1; }\n")  # fmt: skip
    (work / "Makefile").write_text(
        "check: run-tests\n\t./run-tests\nrun-tests: add.o test.o\n\tcc -o $@ $^\n%.o: %.c\n\tcc -O1 -c $<\nbroken:\n\texit 7\n"
    )
    return ("make", "make check", "make broken")


def rust_project(work: pathlib.Path, _registry: Registry) -> tuple[str, ...]:
    (work / "src").mkdir()
    (work / "Cargo.toml").write_text('[package]\nname = "work"\nversion = "0.1.0"\nedition = "2021"\n')  # fmt: skip
    (work / "src/main.rs").write_text('fn main() { println!("hi"); }\n#[test]\nfn adds() { assert_eq!(2 + 2, 4); }\n')  # fmt: skip
    return ("cargo build --offline -q", "./target/debug/work", "cargo test --offline -q")


PROJECTS = {
    "python": (python_project, PYTHON),
    "node": (node_project, "npm"),
    "c": (c_project, "cc"),
    "rust": (rust_project, "cargo"),
}
_VOLATILE = (".pyc", ".d", ".rlib", ".rmeta", ".o.d")


def produced(work: pathlib.Path) -> dict[str, str]:
    """Files with their contents; those of cargo, which hold times and random names, only by what is made of them."""
    return {
        str(path.relative_to(work)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(work.rglob("*"))
        if path.is_file()
        and path.suffix not in _VOLATILE
        and ("target" not in path.parts or path == work / "target/debug/work")
        and path.name != ".package-lock.json"
    }


def toolchain() -> str:
    """The folder of the real programs behind rustup's; empty: there is none."""
    if not shutil.which("rustc"):
        return ""
    found = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True)
    return found.stdout.strip()


def grant(home: pathlib.Path, registry: Registry, *, tcp: bool = True) -> dict[str, str]:
    """A policy that opens the registry; the environment of the lines."""
    sysroot = toolchain()
    folder = home / ".config/agent-tools"
    folder.mkdir(parents=True, exist_ok=True)
    grants = {
        "tcp": [f"localhost:{registry.port}"] if tcp else [],
        "read": [f"{sysroot}/**"] if sysroot else [],
    }
    (folder / "policy.json").write_text(json.dumps({"policy": {"version": "1", "grants": grants}}))
    path = ":".join(filter(None, (f"{sysroot}/bin" if sysroot else "", "/usr/bin", "/bin")))
    return {
        "PATH": path,
        "PIP_INDEX_URL": registry.url("simple/"),
        "npm_config_registry": registry.url(""),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": "",
    }


@pytest.mark.parametrize("kind", sorted(PROJECTS))
def test_a_project_installs_builds_and_tests_as_it_does_outside(
    home: pathlib.Path, registry: Registry, kind: str
) -> None:
    make, program = PROJECTS[kind]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    work = home / "work"
    env = grant(home, registry)
    lines = make(work, registry)
    given = home / "given"
    shutil.copytree(work, given)
    inside = []
    for line in lines:
        result = atip("run", "--line", line, home=home, cwd=work, **env)
        inside.append(result.code)
        assert result.code in (0, 2), result
    built = produced(work)
    shutil.rmtree(work)
    shutil.copytree(given, work)
    plain = {**os.environ, **env, "HOME": str(home / "other"), "npm_config_cache": str(home / "nc"), "CARGO_HOME": str(home / "ch")}  # fmt: skip
    outside = [
        subprocess.run(["bash", "-c", line], cwd=work, env=plain, capture_output=True).returncode
        for line in lines
    ]
    assert inside == outside
    assert built == produced(work)
    if kind in ("python", "node"):
        assert len([path for path in registry.asked if path.endswith((".whl", ".tgz"))]) == 2


def test_without_the_grant_the_line_fails_and_names_what_it_needed(
    home: pathlib.Path, registry: Registry
) -> None:
    work = home / "work"
    env = grant(home, registry, tcp=False)
    (install, *_) = node_project(work, registry)
    result = atip("run", "--line", install + " --fetch-retries=0", home=home, cwd=work, **env)
    assert result.code != 0 and registry.asked == []
    assert f"the sandbox stopped `connect localhost:{registry.port}`" in result.err, result.err
    assert f"`atip policy allow --connect localhost:{registry.port}` grants it" in result.err


def test_caches_are_those_of_the_workspace_and_never_the_users(
    home: pathlib.Path, registry: Registry
) -> None:
    env = grant(home, registry)
    (home / ".npm").mkdir()
    (home / ".npm/mine").write_text("x")
    other = home / "other"
    other.mkdir()
    for work in (home / "work", other):
        (install, *_) = node_project(work, registry)
        assert atip("run", "--line", install, home=home, cwd=work, **env).code == 0
        shutil.rmtree(work / "node_modules")
    assert os.listdir(home / ".npm") == ["mine"]
    packages = home / ".cache/agent-tools-packages"
    assert len(os.listdir(packages)) == 2 and packages.stat().st_mode & 0o777 == 0o700
    before = len(registry.asked)
    again = atip("run", "--line", "npm ci --offline --no-audit --no-fund", home=home, cwd=other, **env)  # fmt: skip
    assert again.code == 0 and len(registry.asked) == before, again
    # one workspace sees nothing of another's
    result = atip("run", "--line", f"touch made && ls {packages}", home=home, cwd=other, **env)
    assert len(result.out.split()) == 1
