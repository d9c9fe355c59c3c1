"""Effects of one invocation: selection, raising, unknown flags, inner commands."""

import shlex

import pytest

from atip.calls.effects.engine import effects_of, program_name
from atip.calls.parse import parse
from atip.knowledge import load
from atip.model.effects import Effects, Filesystem
from atip.model.tool import Command, Option, Tool


def find(line, shell=None):
    argv = shlex.split(line)
    tool = load(program_name(argv[0]))
    return effects_of(tool, parse(tool, argv), lookup=load, shell=shell)


def effects(line):
    return find(line).effects


@pytest.mark.parametrize(
    ("harmless", "destructive"),
    [
        ("git clean -n", "git clean -f"),
        ("git push", "git push --force"),
        ("git push origin main", "git push origin +main"),
        ("git push origin main", "git push origin :old"),
        ("git reset HEAD~1", "git reset --hard HEAD~1"),
        ("git restore --staged x", "git restore x"),
        ("git branch", "git branch -D x"),
        ("rsync -n --delete a b", "rsync --delete a b"),
        ("find . -name x", "find . -name x -delete"),
        ("find . -exec grep x {} +", "find . -exec rm {} +"),
        ("kubectl delete pod x --dry-run=client", "kubectl delete pod x"),
        ("docker compose down", "docker compose down -v"),
        ("sudo ls", "sudo rm x"),
        ("bash -c 'ls -l'", "bash -c 'rm -r x'"),
        ("wipefs /dev/sda", "wipefs -a /dev/sda"),
        ("curl https://x", "curl -X DELETE https://x"),
        ("psql -c 'select 1'", "psql -c 'drop table t'"),
        ("rm --help", "rm x"),
        ("parallel gzip -l", "parallel rm -rf {}"),
    ],
)
def test_one_flag_decides(harmless, destructive):
    assert effects(harmless).destructive is False
    assert effects(destructive).destructive is True


@pytest.mark.parametrize(
    "line",
    [
        "python x.py", "bash x.sh", "xargs bash -c", "bash -c 'ls; rm x'", "env FOO=1 ./x",
        "sudo ./x", "git -c core.pager=./x log", "ssh host 'ls | sh'", "awk 'BEGIN{system(\"x\")}'",
        "sed '1e rm x' f", "tar -I ./x -tf a", "git frob", "docker run image",
    ],
)  # fmt: skip
def test_unknown_code_is_unknown(line):
    assert effects(line).destructive is None
    assert effects(line).network is not False


def test_a_dry_run_masks_what_flags_add_but_not_what_they_run():
    found = effects("rsync -n --delete -e ./x a b")
    assert found.filesystem.delete is None
    assert found.subprocess is True
    assert found.destructive is None


def test_a_dry_run_that_is_switched_off_does_not_count():
    assert effects("kubectl delete pod x --dry-run=none").destructive is True


def test_a_short_flag_with_an_equals_sign_is_read_both_ways():
    assert effects("gh api -X=DELETE /x").destructive is True


@pytest.mark.parametrize(
    "line",
    ["git clean -n --no-dry-run -f", "git clean --no-dry -n", "git push --dry-run --no-dry-run -f"],
)
def test_a_dry_run_that_is_taken_back_does_not_count(line):
    assert effects(line).destructive is True


def test_an_unknown_flag_makes_denials_unknown():
    found = effects("docker --frobnicate network ls")
    assert found.destructive is False  # `rest: harmless` on that command
    found = effects("ssh -Z host ls")
    assert found.network is True
    assert found.destructive is None


def test_a_shell_line_is_read_by_the_given_parser():
    two = find("bash -c 'ls; rm x'", shell=lambda line: [p.split() for p in line.split(";")])
    assert two.effects.destructive is True


def test_modes_given_together_are_joined():
    assert effects("git branch --list -D x").destructive is True


def test_yes_answers_the_questions():
    assert effects("gh repo delete x").interactive.prompts is True
    assert effects("gh repo delete x --yes").interactive.prompts is False
    assert effects("gh repo delete x --yes").destructive is True


def test_text_that_is_not_known_yet_leaves_rules_undecided():
    tool = load("git")
    found = effects_of(tool, parse(tool, ["git", "push", "origin", "\0"])).effects
    assert found.destructive is None
    assert found.network is True


def test_a_foreign_document_cannot_declare_a_flag_a_dry_run():
    calm = {"x-atip": {"dryRun": True, "profile": "nothing", "curated": "knowledge"}}
    tool = Tool(
        name="t",
        effects=Effects(destructive=True, network=True),
        options=(Option(name="force", flags=("--force",), type="boolean", extra=calm),),
        extra={"x-atip": {"curated": "knowledge", "rest": "harmless", "help": ["--force"]}},
    )
    assert effects_of(tool, parse(tool, ["t", "--force"])).effects.destructive is True


@pytest.mark.proves("ATIP6-3.2-08")
def test_commands_inherit_what_the_tool_says_and_danger_wins():
    tool = Tool(
        name="t",
        effects=Effects(network=True, destructive=False),
        commands={"x": Command(effects=Effects(network=False, destructive=True))},
    )
    found = effects_of(tool, parse(tool, ["t", "x"])).effects
    assert (found.network, found.destructive) == (True, True)


def test_a_foreign_flag_may_raise():
    raising = {"x-atip": {"effects": {"destructive": True}}}
    tool = Tool(
        name="t",
        commands={
            "x": Command(
                effects=Effects(destructive=False, filesystem=Filesystem(write=False)),
                options=(Option(name="f", flags=("-f",), type="boolean", extra=raising),),
            )
        },
    )
    assert effects_of(tool, parse(tool, ["t", "x"])).effects.destructive is False
    assert effects_of(tool, parse(tool, ["t", "x", "-f"])).effects.destructive is True


@pytest.mark.parametrize("line", ["xargs git", "xargs uniq", "xargs bash -c", "xargs -n1 kubectl"])
def test_words_that_come_from_elsewhere_leave_it_open(line):
    assert effects(line).filesystem.write is None


def test_words_that_come_from_elsewhere_do_not_harm_a_reader():
    assert effects("xargs -0 grep -l x").filesystem.write is False


def test_an_assignment_that_changes_what_runs_is_not_harmless():
    assert effects("env LC_ALL=C ls").destructive is False
    assert effects("env LD_PRELOAD=./x ls").destructive is None


def test_a_mode_of_a_wrapper_stands_in_for_the_inner_command():
    assert effects("command -v rm").destructive is False
    assert effects("sudo -l rm").destructive is False


def test_reasons_name_the_flag_that_decided():
    reasons = find("git push --force").reasons
    assert ("--force", "destructive, irreversible") in [(r.subject, r.says) for r in reasons]
    assert {r.evidence for r in reasons} == {"knowledge"}


def test_wrappers_may_nest_but_not_for_ever():
    assert effects("sudo env nice timeout 5 rm x").destructive is True
    assert effects("sudo " * 40 + "ls").destructive is None


@pytest.mark.parametrize(
    ("word", "name"),
    [("git", "git"), ("/usr/bin/git", "git"), ("./git", ""), ("/tmp/ls", ""), ("bin/ls", "")],
)
def test_only_system_directories_name_a_known_program(word, name):
    assert program_name(word) == name
