"""Attacks on the guard by cause, and harmless lines that look like them (`conformance/guard`). Nothing is executed."""

from __future__ import annotations

import shlex
import time

import pytest

import atip
from tests.shared import ROOT

HOME, PROJECT = "/home/dev", "/home/dev/project"


def read_causes(name: str) -> dict[str, list[str]]:
    """Lines by cause; `⏎` is a new line."""
    causes: dict[str, list[str]] = {}
    for paragraph in (ROOT / "conformance" / "guard" / name).read_text().split("\n\n"):
        title, *lines = paragraph.strip().splitlines()
        found = [line.replace("⏎", "\n") for line in lines if not line.startswith("# ")]
        if found:
            causes[title.removeprefix("# ")] = found
    return causes


ASKS, ALLOWS = read_causes("asks.txt"), read_causes("allows.txt")
PLACES = read_causes("places.txt")


def box_at(home: str, policy: str = "cautious") -> atip.Toolbox:
    return atip.Toolbox(home=home, policy=policy)


@pytest.fixture(scope="module")
def box() -> atip.Toolbox:
    return box_at(HOME)


def allowed(box: atip.Toolbox, lines: list[str], cwd: str = PROJECT) -> list[str]:
    return [line for line in lines if box.explain(line, cwd=cwd).decision.outcome == "allow"]


@pytest.mark.parametrize("cause", ASKS)
def test_an_attack_is_not_allowed(box, cause):
    assert allowed(box, ASKS[cause]) == []


@pytest.mark.parametrize("cause", ALLOWS)
def test_a_harmless_line_that_looks_like_it_is_allowed(box, cause):
    lines = ALLOWS[cause]
    assert [line for line in lines if line not in allowed(box, lines)] == []


WAYS = (
    "( {} )",
    "eval {quoted}",
    "bash -c {quoted}",
    "if true; then {}\nfi",
    "f() {{ {}\n}}; f",
    "{{ {}\n}} | cat",
    "ls\n{}",
)


@pytest.mark.parametrize("way", WAYS)
def test_an_attack_in_another_shape_is_not_allowed(box, way):
    lines = [line for found in ASKS.values() for line in found if "<<" not in line]
    assert allowed(box, [way.format(line, quoted=shlex.quote(line)) for line in lines]) == []


def test_every_cause_has_attacks_and_the_lists_are_long():
    assert all(len(lines) >= 10 for lines in ASKS.values())
    assert sum(map(len, ASKS.values())) >= 300
    assert sum(map(len, ALLOWS.values())) >= 180


@pytest.mark.parametrize(
    "cwd",
    ["/", "/home/dev", "/home/dev/.ssh", "/home/dev/.aws", "/root", "/etc", "/etc/ssl/private", "/proc/self",
     "/run/secrets", "/home/dev/project/../.gnupg", "/home", "/home/other", "/home/dev/.config", "/home/dev/.local/share",
     "/home/other/.config", "/root/.config", "/home/dev/.cargo", "/home/dev/.kube", "/boot", "/var/lib/docker"],
)  # fmt: skip
def test_a_working_directory_that_is_no_project_is_not_read_as_one(box, cwd):
    """The folder in which a line stands is trusted only if it may be somebody's project."""
    lines = [
        "cat *",
        "grep -r password .",
        "rg -uu token",
        "find . -type f -exec cat {} +",
        "head -5 *",
        *PLACES["the working directory is no project"],
    ]
    assert allowed(box, lines, cwd=cwd) == []
    assert allowed(box, ["ls", "pwd"], cwd=cwd) == ["ls", "pwd"]


@pytest.mark.parametrize("folder", [".config/nvim", ".dotfiles", "src/.config", "project"])
def test_a_folder_below_a_home_that_holds_no_credentials_may_be_a_project(box, folder):
    assert allowed(box, ["rg TODO", "cat *.md"], cwd=f"{HOME}/{folder}") == ["rg TODO", "cat *.md"]


def test_protected_places_are_protected_from_every_command_that_writes(tmp_path):
    """Not from redirections alone."""
    lines = [
        "tee -a ~/.ssh/authorized_keys", "cp -n evil .git/hooks/pre-push", "unzip -d ~/.ssh x.zip", "cp x ~/.bashrc",
        "mv evil .git/config", "ln -s x .git/hooks/pre-commit", "install x ~/.local/bin/ls", "touch ~/.config/agent-tools/policy.json",
        "tar -xf x.tar -C ~/.ssh", "dd if=x of=~/.bashrc", "rsync -a x ~/.ssh/", "cp x .github/workflows/ci.yml",
        "sed -i s/a/b/ ~/.bashrc", "sed 's/a/b/w .git/hooks/x' y", "cp -t .git/hooks evil", "cd ~ && cp x .bashrc",
        "mkdir -p ~/.config/systemd/user", "echo x | tee .envrc", "cp x .claude/settings.json",
    ]  # fmt: skip
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    lines += PLACES["protected from every command that writes"]
    box, cwd = box_at(str(tmp_path), "workspace"), str(project)
    assert allowed(box, lines, cwd) == []
    assert allowed(box_at(str(tmp_path), "ci"), lines, cwd) == []
    working = ["touch src/x", "cp -n a.txt b.txt", "mkdir -p build", "tee -a notes.txt"]
    assert allowed(box, working, cwd) == working


@pytest.mark.parametrize("home", ["/tmp/x", "/tmp/a/b", "/var/tmp/home", "/opt/home", "/usr/home"])
def test_a_home_wins_over_the_place_in_which_it_lies(home):
    box = box_at(home)
    lines = [
        f"rg -uu token {home}",
        "rg -uu token ~",
        f"cat {home}/notes.txt",
        "cat ~/x",
        f"grep -r x {home}/",
        "cat ~/.ssh/id_rsa",
    ]
    parent, _, name = home.rpartition("/")
    for line in PLACES["a home below a scratch place"]:
        for mark, text in (("{home}", home), ("{parent}", parent), ("{name}", name)):
            line = line.replace(mark, text)
        lines.append(line)
    assert allowed(box, lines, cwd="/srv/project") == []
    assert allowed(box, ["cat README.md"], cwd=f"{home}/project") == ["cat README.md"]


@pytest.mark.parametrize(
    "line",
    [
        "x=a; " + "x=$x$x; " * 18 + "echo $x", "x=aaaaaaaaaa; " + "".join(f"x{i + 1}=$x{i}$x{i}; " for i in range(40)),
        "x0=a; " + "".join(f"x{i + 1}=$x{i}$x{i}; " for i in range(60)) + "echo $x60",
        "x0=$(ls); " + "".join(f"x{i + 1}=$x{i}$x{i}$x{i}; " for i in range(60)) + "echo $x60",
        "echo " + "{a,b}" * 30, "echo {1..99999}{1..99999}", "ls && " * 20_000 + "ls", "echo " + "a " * 49_000,
        "a=(); " + "a+=(x); " * 5_000, "$(" * 90 + ")" * 90, "echo " + "${x:-" * 80 + "}" * 80, "f() { f2; }; " * 2_000 + "f",
        "cd a && " * 2_000 + "cat x", "cat " + "*" * 20_000, "cat " + "*a" * 5_000, "find . -regex '" + "(a+)+" * 50 + "' -exec cat {} +",
        "sed '" + "s/a/b/;" * 10_000 + "'", "awk '" + "{print}" * 10_000 + "'", "eval " * 5_000 + "ls",
        "echo " + "$((" * 60 + "1" + "))" * 60, "x=1; " + "echo $((x + x)); " * 4_000, "cat <<E\n" + "$x" * 40_000 + "\nE",
        "echo " + "${a[" * 90 + "1" + "]}" * 90, "a=([$(" * 45 + "ls" + ")]=1)" * 45, "echo " + "${x:$((" * 45 + "1" + "))}" * 45,
        "echo " + "`echo " + "$x" * 9_000 + "`", "[[ " + "a && " * 9_000 + "a ]]", "echo \"" + "$(ls)" * 9_000 + "\"",
        "case x in " + "a) ls;; " * 5_000 + "esac", "echo " + "'a'" * 30_000, "bash -c " * 40 + "ls", "xargs " * 3_000 + "ls",
        "echo " + "\"a\"" * 30_000, "echo " + "\\a" * 45_000, "x=" + "a'b'" * 24_000, "echo \"" + "\\\"x" * 30_000 + "\"", "echo " + ("'a'b" * 8 + " ") * 2_900,
        "ls x; " * 900, "git log -p; " * 700, "echo a | xargs sh -c " * 400 + "ls", "find . -exec cat {} + ; " * 400,
        "bash -c 'ls a; ls b'; " * 300, "f0() { ls; }; " + "".join(f"f{i + 1}() {{ f{i}; f{i}; }}; " for i in range(40)) + "f40",
        "x=aa; " + "x=${x//a/$x}; " * 12 + "echo $x", "set -- a b; " + 'set -- "$@" "$@"; ' * 40 + 'echo "$@"',
        "x=aa; " + 'printf -v x %s%s "$x" "$x"; ' * 40 + "cat $x", "printf -v x '%0999999999d' 1; echo $x",
        "shopt -s extglob; [[ " + "a" * 60 + "b == +(+(+(a))) ]]", "echo $((10**9999999)) $((2**2**2**2**2**2))",
        "env -S '" + "env -S " * 8_000 + "ls'", "cat " + "a/../" * 15_000 + "x", "jq '" + "[" * 20_000 + "1" + "]" * 20_000 + "' x",
        "jq '" + '"\\(' * 8_000 + "1" + ')"' * 8_000 + "' x", "awk '{ print " + "(" * 20_000 + "1" + ")" * 20_000 + "}' x",
    ],
    ids=range(54),
)  # fmt: skip
@pytest.mark.measured
def test_no_line_takes_long(box, line):
    """SECURITY: beyond the bounds the answer is a question, and it comes at once."""
    box.explain("ls | wc -l", cwd=PROJECT)
    seconds: list[float] = []
    # Processor time on a shared core swings by a third: the quickest of ten, and most lines need one.
    while len(seconds) < 10 and min(seconds, default=1) >= 0.15:
        started = time.process_time()
        box.explain(line[:99_999], cwd=PROJECT)
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.15, seconds


def test_a_line_of_too_many_commands_is_asked_about_and_says_why(box):
    """SECURITY: lines inside of it count; what stands behind the last one that was judged could be anything."""
    for line in (
        "ls x; " * 300,
        "bash -c 'ls a; ls b; ls c'; " * 90,
        "ls x; " * 300 + "rm -rf src",
    ):
        found = box.explain(line, cwd=PROJECT).decision
        assert (found.outcome, "more than 128 commands" in found.reasons[0]) == ("ask", True)
    assert box.explain("ls x; " * 120, cwd=PROJECT).decision.outcome == "allow"
