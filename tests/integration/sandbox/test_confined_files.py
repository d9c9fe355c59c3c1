"""Files of a confined run: what is granted works, every way around it fails."""

from __future__ import annotations

import os
import pathlib

import pytest

from atip.errors import SandboxError
from atip.model.permissions.confinement import Confinement
from tests.integration.sandbox.confined import attempt, go, python

pytestmark = pytest.mark.sandbox


@pytest.fixture
def work(tmp_path: pathlib.Path) -> pathlib.Path:
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src/a.txt").write_text("visible")
    (tmp_path / "outside.txt").write_text("original")
    os.symlink(tmp_path / "outside.txt", root / "absolute")
    os.symlink("../outside.txt", root / "relative")
    return root


def writable(root: pathlib.Path, *deny: str) -> Confinement:
    return Confinement(fs_write=(f"{root}/**",), fs_deny=tuple(f"{root}/{name}" for name in deny))


@pytest.mark.proves("AIP29-SANDBOX-01", "AIP29-SANDBOX-04")
def test_granted_tree_is_read_and_nothing_else(work: pathlib.Path) -> None:
    outside = work.parent / "outside.txt"
    tries = [
        f"open('{work}/src/a.txt').read()",
        f"open('{outside}').read()",
        f"open('{work}/../outside.txt').read()",
        f"open('{work}/absolute').read()",
        f"open('{work}/relative').read()",
        f"open('/proc/1/root{outside}').read()",
        "open('/proc/self/cwd/../outside.txt').read()",
        f"open('/proc/self/root{outside}').read()",
        "open('/etc/shadow').read()",
        "os.listdir('/sys/kernel')",
        f"open('{work}/new', 'w')",
        f"os.chmod('{work}/src/a.txt', 0o777)",
        "open('/usr/bin/new', 'w')",
    ]
    result = python(Confinement(fs_read=(f"{work}/**",)), attempt(*tries), cwd=work)
    lines = result.out.splitlines()
    assert lines[0] == "done", result
    assert "done" not in lines[1:], list(zip(tries, lines, strict=False))


def test_write_goes_to_the_granted_tree_only(work: pathlib.Path) -> None:
    tries = [
        f"open('{work}/new', 'w').write('x')",
        f"os.makedirs('{work}/deep/er')",
        f"os.rename('{work}/src/a.txt', '{work}/src/b.txt')",
        f"open('{work}/absolute', 'w').write('changed')",
        f"open('{work}/relative', 'w').write('changed')",
        f"open('{work.parent}/next', 'w').write('x')",
        f"os.link('{work}/../outside.txt', '{work}/linked')",
    ]
    result = python(writable(work), attempt(*tries))
    assert result.out.splitlines()[:3] == ["done"] * 3, result
    assert (work / "new").read_text() == "x"
    assert (work / "src/b.txt").exists()
    assert (work.parent / "outside.txt").read_text() == "original"
    assert sorted(os.listdir(work.parent)) == ["outside.txt", "work"]
    assert (work / "new").stat().st_uid == os.getuid()


@pytest.mark.proves("AIP29-SANDBOX-05")
def test_denied_folder_cannot_be_read_written_renamed_or_replaced(work: pathlib.Path) -> None:
    hooks = work / ".git/hooks"
    hooks.mkdir(parents=True)
    (hooks / "secret").write_text("secret")
    tries = [
        f"open('{hooks}/secret').read()",
        f"open('{hooks}/pre-commit', 'w').write('x')",
        f"os.rename('{hooks}', '{work}/h2')",
        f"os.rename('{work}/.git', '{work}/.g2'); os.makedirs('{hooks}')",
        f"os.rmdir('{hooks}')",
        f"os.chmod('{hooks}', 0o777)",
    ]
    result = python(writable(work, ".git/hooks/**"), attempt(*tries))
    assert "done" not in result.out, result
    assert os.listdir(hooks) == ["secret"]
    assert (work / ".git").is_dir() and not (work / ".g2").exists()


def test_rest_of_a_tree_with_a_denied_folder_stays_usable(work: pathlib.Path) -> None:
    (work / ".git/hooks").mkdir(parents=True)
    code = attempt(
        f"open('{work}/.git/config', 'w').write('x')", f"open('{work}/y', 'w').write('x')"
    )
    assert python(writable(work, ".git/hooks/**"), code).out == "done\ndone\n"
    assert (work / ".git/config").read_text() == "x"


def test_denied_file_is_covered_and_a_missing_one_cannot_be_made(work: pathlib.Path) -> None:
    (work / ".env").write_text("TOKEN=secret")
    tries = [
        f"assert open('{work}/.env').read() == 'never'",
        f"os.unlink('{work}/.env')",
        f"os.rename('{work}/.env', '{work}/x')",
        f"open('{work}/.mcp.json', 'w').write('x')",
        f"os.rename('{work}/src/a.txt', '{work}/.mcp.json')",
        f"os.makedirs('{work}/.vscode/x')",
    ]
    result = python(writable(work, ".env", ".mcp.json", ".vscode/settings.json"), attempt(*tries))
    assert "done" not in result.out and "secret" not in result.out, result
    assert (work / ".env").read_text() == "TOKEN=secret"
    assert sorted(os.listdir(work)) == [".env", "absolute", "relative", "src"]


def test_hard_link_to_a_denied_file_is_refused(work: pathlib.Path) -> None:
    (work / ".env").write_text("secret")
    os.link(work / ".env", work / "harmless")
    with pytest.raises(SandboxError) as refused:
        python(writable(work, ".env"), "pass")
    assert refused.value.code == "sandbox.cannot-enforce"


@pytest.mark.parametrize(
    ("write", "deny"),
    [
        (("{w}/*.txt",), ()),
        (("{w}/missing.txt",), ()),
        (("/usr/**",), ()),
        (("{w}/src/**",), ("{w}/**",)),
        (("{w}/**",), ("{w}/absolute",)),
    ],
)
def test_what_cannot_be_enforced_exactly_is_refused(
    work: pathlib.Path, write: tuple[str, ...], deny: tuple[str, ...]
) -> None:
    confinement = Confinement(
        fs_write=tuple(text.format(w=work) for text in write),
        fs_deny=tuple(text.format(w=work) for text in deny),
    )
    with pytest.raises(SandboxError) as refused:
        python(confinement, "pass")
    assert refused.value.code == "sandbox.cannot-enforce"


def test_denied_pattern_covers_every_match(work: pathlib.Path) -> None:
    for name in (".env", "src/.env", "src/prod.env"):
        (work / name).write_text("secret")
    confinement = Confinement(fs_read=(f"{work}/**",), fs_deny=(f"{work}/**/*.env",))
    result = go(
        confinement, "/bin/cat", *(f"{work}/{n}" for n in (".env", "src/.env", "src/prod.env"))
    )
    assert result.out == "" and result.code == 1
    assert go(confinement, "/bin/cat", f"{work}/src/a.txt").out == "visible"


def test_home_is_empty_but_for_what_is_granted(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".config/gh", ".ssh"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / ".ssh/id").write_text("secret")
    (tmp_path / ".config/gh/hosts.yml").write_text("ok")
    os.chmod(tmp_path / ".config/gh/hosts.yml", 0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    confinement = Confinement(fs_read=("~/.config/gh/**",))
    code = "import os; h=os.environ['HOME']; print(os.listdir(h), open(h+'/.config/gh/hosts.yml').read())"
    assert python(confinement, code).out == "['.config'] ok\n"


def test_kernel_settings_devices_and_mounts_are_out_of_reach() -> None:
    tries = [
        "os.open('/proc/sys/kernel/hostname', os.O_WRONLY)",
        "os.open('/proc/sys/net/ipv4/ip_forward', os.O_WRONLY)",
        "os.open('/proc/sysrq-trigger', os.O_WRONLY)",
        "os.open('/dev/mem', os.O_RDONLY)",
        "os.mknod('/tmp/d', 0o60666, os.makedev(8, 0))",
        "assert ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0",
        "assert ctypes.CDLL(None).unshare(0x10000000) == 0",
        "os.setuid(0)",
    ]
    result = python(Confinement(), attempt(*tries))
    assert result.out and "done" not in result.out, result


@pytest.mark.parametrize("home", ["/", "/usr/sbin", "/nonexistent"])
def test_odd_home_of_a_service_user_hides_nothing_of_the_system(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    code = "import os; print(os.path.isdir('/usr/sbin') and len(os.listdir('/usr/sbin')) > 5, os.listdir(os.environ['HOME']))"
    assert python(Confinement(), code).out == "True []\n"


def test_writable_folder_inside_a_readable_one(tmp_path: pathlib.Path) -> None:
    (tmp_path / "out" / "deep").mkdir(parents=True)
    confinement = Confinement(
        fs_read=(f"{tmp_path}/**", f"{tmp_path}/out/deep/**"), fs_write=(f"{tmp_path}/out/**",)
    )
    code = attempt(
        f"open('{tmp_path}/out/x', 'w').write('1')", f"open('{tmp_path}/y', 'w').write('1')"
    )
    result = python(confinement, code, cwd=str(tmp_path))
    assert result.out.split("\n")[0] == "done", result
    assert result.out.count("done") == 1, result
    assert (tmp_path / "out" / "x").read_text() == "1"
    assert not (tmp_path / "y").exists()
