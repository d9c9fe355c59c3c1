"""Words of a line, and the reasons of a decision by command."""

from __future__ import annotations

from atip.knowledge.reading import load
from atip.pages.line_words import explain_words, reasons_by_command
from atip.policy.policy import Policy
from atip.workflows.judge import explain_line


def explain(line):
    policies = (Policy(preset="cautious"),)
    return explain_line(line, policies, lookup=load, cwd="/home/you/w", home="/home/you")


def reasons(line):
    explained = explain(line)
    found = reasons_by_command(explained.invocations, explained.decisions, explained.decision)
    said = [reason for one in found for reason in one["reasons"]]
    assert set(said) == set(explained.decision.reasons), "no reason is lost or added"
    return [(one["command"], len(one["reasons"])) for one in found]


def test_reasons_name_the_commands_that_decide():
    assert reasons("git push --force && ls && rm -rf build") == [
        ("git push --force", 1),
        ("rm -rf build", 1),
    ]


def test_the_same_reason_is_named_with_each_command():
    assert reasons("rm -r a; rm -r b") == [("rm -r a", 1), ("rm -r b", 1)]


def test_one_command_needs_no_name():
    assert reasons("rm -rf build") == [("", 1)]


def test_what_holds_for_the_line_belongs_to_no_command():
    assert reasons("rm -rf 'build") == [("", 1)]
    assert reasons("# nothing") == [("", 1)]


def test_a_bundle_of_unknown_flags_says_so_once():
    (subject,) = explain("curl -fsSL https://example.com").invocations
    assert explain_words(subject)[1]["text"].count("not known") == 1


def test_a_bare_word_is_a_path_only_where_files_are_changed():
    def roles(line):
        (subject,) = explain(line).invocations
        return {one["word"]: one["role"] for one in explain_words(subject)}

    assert roles("rm -rf build")["build"] == "path"
    assert roles("cat src/a.py")["src/a.py"] == "path"
    push = roles("git push origin main")
    assert push["origin"] == push["main"] == "argument"
