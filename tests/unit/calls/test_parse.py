"""argv → invocation, the way the programs read it."""

import pytest

from atip.calls.parse import parse
from atip.knowledge import load
from atip.model.tool import Command, Option, Tool


def read(line):
    argv = line.split()
    return parse(load(argv[0]), argv)


def given(call):
    return [(option.name, option.value) for option in call.options]


def test_a_subcommand_may_follow_global_options():
    call = read("git -C /tmp --no-pager log -5")
    assert call.path == ("log",)
    assert call.values_of(["-C"]) == ("/tmp",)


def test_global_options_that_stand_before_do_not_shadow_those_of_the_command():
    assert read("git commit -c HEAD").given(["--reedit-message"])


def test_a_bundle_ends_at_the_letter_that_takes_a_value():
    call = read("tar -xzf a.tgz")
    assert call.given(["--extract"])
    assert call.values_of(["--file"]) == ("a.tgz",)


def test_old_style_bundle_takes_its_values_in_order():
    call = read("tar cfC a.tgz dir x")
    assert call.values_of(["-f"]) == ("a.tgz",)
    assert call.values_of(["-C"]) == ("dir",)
    assert call.arguments == ("x",)


@pytest.mark.proves("ATIP6-4.5-05")
def test_the_empty_name_is_the_bare_tool():
    bare = Command(options=(Option(name="all", flags=("-a",), type="boolean"),))
    tool = Tool(name="t", commands={"": bare, "x": Command()})
    call = parse(tool, ["t", "-a"])
    assert (call.path, call.nodes, call.unknown) == ((), (bare,), ())
    assert parse(tool, ["t", "x", "-a"]).unknown == ("-a",)
    assert parse(tool, ["t", ""]).path == ()


@pytest.mark.parametrize(
    "line", ["curl -XDELETE u", "curl -X DELETE u", "curl --request=DELETE u", "curl u -X DELETE"]
)
def test_a_value_is_found_joined_or_separate(line):
    call = read(line)
    assert call.values_of(["--request"]) == ("DELETE",)
    assert call.arguments == ("u",)


def test_nothing_is_an_option_after_two_dashes():
    call = read("rm -- -rf")
    assert call.options == ()
    assert call.arguments == ("-rf",)
    assert call.ended == 0


def test_a_unique_prefix_counts_where_the_parser_allows_it():
    assert read("rm --recurs x").given(["-r"])


def test_a_prefix_of_a_raising_flag_never_passes_as_unknown():
    tool = load("gh")
    assert parse(tool, ["gh", "release", "upload", "v1", "f", "--clobbe"]).given(["--clobber"])


def test_a_prefix_is_not_guessed_for_a_flag_that_would_calm():
    call = read("kubectl delete pod x --dry-ru")
    assert call.unknown == ("--dry-ru",)


def test_single_dash_long_names_are_not_bundles():
    call = read("find . -name x -delete")
    assert given(call) == [("name", "x"), ("delete", None)]


def test_key_value_operands_are_options():
    call = read("dd if=/dev/zero of=/dev/sda bs=1M")
    assert call.values_of(["of="]) == ("/dev/sda",)
    assert call.arguments == ()


def test_an_unlisted_word_where_a_command_belongs_is_unknown():
    call = read("git frobnicate x")
    assert call.unknown_command == "frobnicate"


def test_aliases_resolve_to_the_command():
    assert read("npm i left-pad").path == ("install",)


def test_globs_match_command_families():
    call = read("gh search repos x")
    assert call.path == ("search", "repos")


def test_the_inner_command_of_a_wrapper_keeps_its_own_flags():
    call = read("sudo -u root -n rm -rf /x")
    assert call.inner[0].argv == ("rm", "-rf", "/x")
    assert call.wraps


def test_assignments_before_an_inner_command_are_skipped():
    assert read("env -i A=1 B=2 ls -l").inner[0].argv == ("ls", "-l")


def test_exec_collects_up_to_its_terminator():
    call = read("find . -exec rm -f {} + -print")
    assert call.inner[0].argv == ("rm", "-f", "{}")
    assert call.given(["-print"]) or "-print" in call.unknown


def test_a_plus_that_follows_something_else_is_an_argument():
    assert read("find . -exec expr 1 + 2 ;").inner[0].argv == ("expr", "1", "+", "2")


def test_two_dashes_start_the_inner_command_where_data_say_so():
    call = read("kubectl exec -it pod -c app -- sh -c ls")
    assert call.inner[0].argv == ("sh", "-c", "ls")
    assert call.values_of(["-c"]) == ("app",)


def test_a_shell_line_may_be_one_word_or_many():
    assert parse(load("bash"), ["bash", "-lc", "rm -rf x", "a0"]).inner[0].text == "rm -rf x"
    assert read("ssh -p 22 host rm -rf x").inner[0].text == "rm -rf x"


def test_a_missing_value_is_none_not_an_error():
    assert read("git push --repo").options[0].value is None


def test_help_after_an_unknown_flag_may_be_its_value():
    tool = Tool(name="t", options=(Option(name="a", flags=("-a",), type="boolean"),))
    assert parse(tool, ["t", "-a", "--help"]).help
    assert not parse(tool, ["t", "--frob", "--help"]).help


@pytest.mark.proves("ATIP6-3.2-07")
def test_an_ordinary_document_is_parsed_by_the_same_tables():
    tool = Tool(
        name="t",
        global_options=(Option(name="config", flags=("-c", "--config")),),
        commands={
            "pr": Command(
                commands={
                    "list": Command(
                        aliases=("ls",),
                        options=(Option(name="limit", flags=("-L", "--limit"), type="integer"),),
                    )
                }
            )
        },
    )
    call = parse(tool, ["t", "-c", "f", "pr", "ls", "-L5", "x"])
    assert call.path == ("pr", "list")
    assert given(call) == [("config", "f"), ("limit", "5")]
    assert call.arguments == ("x",)


def test_a_word_is_looked_up_without_building_the_other_commands(monkeypatch):
    # A program with thousands of commands is joined with its knowledge word by word.
    from atip.knowledge import reading

    built = []
    build = reading.command_from
    monkeypatch.setattr(reading, "command_from", lambda node: built.append(node) or build(node))
    nodes = {f"c{number}": {"aliases": [f"a{number}"]} for number in range(100)}
    commands = reading.LazyCommands(nodes)
    tool = Tool(name="giant", description="", commands=commands)
    assert parse(tool, ("giant", "nothing")).unknown_command and not built
    assert parse(tool, ("giant", "a7")).path == ("c7",) and len(built) == 1
