"""Completion scripts of bash, zsh and fish, read as text."""

from __future__ import annotations

import pytest

from atip.inference.completion.bash import infer_bash
from atip.inference.completion.fish import infer_fish
from atip.inference.completion.shell_words import expand_braces, tokenize
from atip.inference.completion.zsh import infer_zsh
from atip.model.tool import Command, Option


def options(command: Command, *path: str) -> dict[str, Option]:
    for name in path:
        assert command.commands is not None
        command = command.commands[name]
    return {flag: option for option in command.options or () for flag in option.flags}


BASH = r"""
_shelf() {
    local cur prev opts
    case "$prev" in
        --color)
            COMPREPLY=( $(compgen -W "auto always never" -- "$cur") ); return ;;
        -C|--directory)
            _filedir -d; return ;;
        --help|--version) return ;;
    esac
    case "$cur" in
        -*) COMPREPLY=( $(compgen -W '--color --directory -C --help --version' -- "$cur") ) ;;
        *) COMPREPLY=( $(compgen -W 'add rm list' -- "$cur") ) ;;
    esac
}
complete -F _shelf shelf
"""

CLAP = r"""
_ant() {
    for i in ${COMP_WORDS[@]}; do
        case "${cmd},${i}" in
            ",$1") cmd="ant" ;;
            ant,dry-run) cmd="ant__dry__run" ;;
        esac
    done
    case "${cmd}" in
        ant)
            opts="-v --verbose dry-run help"
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            ;;
        ant__dry__run)
            opts="-o --out"
            case "${prev}" in
                --out) COMPREPLY=($(compgen -W "json text" -- "${cur}")) ;;
            esac
            ;;
    esac
}
"""

COBRA = r"""
_boat_list()
{
    last_command="boat_list"
    commands=()
    flags+=("--all")
    two_word_flags+=("--output")
    flags+=("--output=")
}
_boat_root_command()
{
    last_command="boat"
    commands=()
    commands+=("list")
    flags+=("--config=")
}
"""

ZSH = r"""#compdef shelf
_shelf() {
  local -a commands
  commands=(
    'add:put on the shelf'
    'rm:take off'
  )
  _arguments -s \
    {-h,--help}'[show help]' \
    '(-q)*'{-v,--verbose}'[say more]' \
    '--color=[when to use colour]:when:(auto always never)' \
    '--dir=[where]:directory:_files -/' \
    '--level=[how]:level:((low\:"a little" high\:"a lot"))' \
    '*:file:_files'
}
_shelf-add() {
  _arguments '--tag=[tag \[a word\]]:tag:'
}
_arguments '--late[after functions]'
"""

FISH = r"""
set -l commands add rm
complete -c shelf -f
complete -c shelf -s h -l help -d 'Show help'
complete -c shelf -l color -x -a 'auto always never' -d 'When to use colour'
complete -c shelf -n "not __fish_seen_subcommand_from $commands" -a add -d 'Put on the shelf'
complete -c shelf -n __fish_use_subcommand -xa "rm\t'Take off'"
complete -c shelf -n '__fish_seen_subcommand_from add' -s t -l tag -r -d 'Tag\'s name'
complete -c other -l never
"""


def test_bash_words_are_flags_commands_and_values() -> None:
    command = infer_bash(BASH, "shelf")
    found = options(command)
    assert set(found) == {"--color", "--directory", "-C", "--help", "--version"}
    assert found["--color"].enum == ("auto", "always", "never")
    assert found["--directory"].takes_value and found["-C"].takes_value
    assert not found["--help"].takes_value
    assert list(command.commands or {}) == ["add", "rm", "list"]


def test_bash_of_clap_is_read_per_command() -> None:
    command = infer_bash(CLAP, "ant")
    assert set(options(command)) == {"-v", "--verbose"}
    assert set(options(command, "dry-run")) == {"-o", "--out"}
    assert options(command, "dry-run")["--out"].enum == ("json", "text")


def test_bash_of_cobra_is_read_per_function() -> None:
    command = infer_bash(COBRA, "boat")
    assert options(command, "list")["--output"].takes_value
    assert not options(command, "list")["--all"].takes_value


def test_bash_complete_with_words() -> None:
    assert list(infer_bash('complete -W "start stop --now" svc', "svc").commands or {}) == [
        "start",
        "stop",
    ]


def test_zsh_specs_give_descriptions_values_and_choices() -> None:
    command = infer_zsh(ZSH, "shelf")
    found = options(command)
    assert found["--help"].flags == ("-h", "--help")
    assert found["--verbose"].description == "say more"
    assert found["--color"].enum == ("auto", "always", "never")
    assert found["--level"].enum == ("low", "high")
    assert found["--dir"].type == "directory"
    assert "--late" in found and "-s" not in found
    assert {name: child.description for name, child in (command.commands or {}).items()} == {
        "add": "put on the shelf",
        "rm": "take off",
    }
    assert options(command, "add")["--tag"].description == "tag [a word]"


def test_fish_conditions_tell_the_command() -> None:
    command = infer_fish(FISH, "shelf")
    found = options(command)
    assert set(found) == {"-h", "--help", "--color"}
    assert found["--color"].enum == ("auto", "always", "never")
    assert options(command, "add")["--tag"].description == "Tag's name"
    assert command.commands is not None
    assert command.commands["rm"].description == "Take off"


def test_evidence_is_the_line_of_the_script() -> None:
    option = options(infer_fish(FISH, "shelf"))["--help"]
    assert option.own["evidence"] == {"source": "completion", "lines": [4, 4]}


def test_substitutions_are_never_taken_for_words() -> None:
    text = 'complete -W "$(rm -rf /) `ls` $HOME --ok" x'
    assert set(options(infer_bash(text, "x"))) == {"--ok"}
    assert infer_bash(text, "x").commands is None


@pytest.mark.parametrize("reader", [infer_bash, infer_zsh, infer_fish])
@pytest.mark.parametrize(
    "text", ["", "'", '"', "case", "case x in", "a=(", "_arguments '", "{" * 99]
)
def test_broken_scripts_give_something(reader, text: str) -> None:
    assert isinstance(reader(text, "x"), Command)


def test_brace_lists_expand_outside_of_quotes_only() -> None:
    first, second = tokenize("{-a,--all}'[x]' '{-a,--all}'")
    assert expand_braces(first.text) == ["-a[x]", "--all[x]"]
    assert expand_braces(second.text) == ["{-a,--all}"]


TWO_PROGRAMS = r"""
_shelf() { COMPREPLY=( $(compgen -W '--dust add rm' -- "$cur") ); }
_crate() { COMPREPLY=( $(compgen -W '--nails open' -- "$cur") ); }
_helper() {
    case "${1%%=*}" in
        wood) COMPREPLY=( $(compgen -W 'oak pine' -- "$cur") ) ;;
    esac
}
complete -F _shelf shelf bookshelf && complete -o nospace -F _crate crate
"""


@pytest.mark.parametrize(
    ("tool", "flags", "commands"),
    [
        ("shelf", ["--dust"], ["add", "rm"]),
        ("bookshelf", ["--dust"], ["add", "rm"]),
        ("crate", ["--nails"], ["open"]),
    ],
)
def test_bash_functions_count_for_the_programs_they_are_registered_for(
    tool: str, flags: list[str], commands: list[str]
) -> None:
    command = infer_bash(TWO_PROGRAMS, tool)
    assert list(options(command)) == flags
    assert list(command.commands or {}) == commands


PER_COMMAND = "".join(
    f""" _boat_{name}() {{
     local boolean_options="
     --{name}-fast
     "
     {more}
     case "$prev" in
         --{name}-to) COMPREPLY=($(compgen -W 'bow stern' -- "$cur")) ;;
         --anywhere) _filedir ;;
     esac
     COMPREPLY=($(compgen -W "$boolean_options --{name}-to" -- "$cur"))
 }}
"""
    for name, more in [
        ("boat", ""),
        ("load", ""),
        ("sail_by", ""),
        ("crew", "COMPREPLY=( $(compgen -W 'add fire' -- $cur) )"),
        ("crew_add", ""),
        ("crew_fire", ""),
        ("land", ""),
        ("sink", ""),
    ]
)


def test_bash_functions_per_command_keep_their_options_off_the_root() -> None:
    command = infer_bash(PER_COMMAND + " complete -F _boat boat\n", "boat")
    assert list(options(command)) == ["--boat-fast", "--boat-to"]
    assert list(command.commands or {}) == ["load", "sail-by", "crew", "land", "sink"]
    assert list(options(command, "sail-by")) == ["--sail_by-fast", "--sail_by-to"]
    assert list(options(command, "crew", "add")) == ["--crew_add-fast", "--crew_add-to"]
    assert options(command, "load")["--load-to"].enum == ("bow", "stern")


def test_bash_flags_before_any_value_are_of_no_command() -> None:
    script = """
_boat() {
    case "$prev" in
        --cargo) _filedir ;;
    esac
    case $COMP_CWORD in
        1) COMPREPLY=( $(compgen -W 'load sail 1 2' -- "$cur") ) ;;
    esac
}
complete -F _boat boat
"""
    command = infer_bash(script, "boat")
    assert list(command.commands or {}) == ["load", "sail"]
    assert options(command) == {}  # it may be a flag of either
    alone = infer_bash(script.replace("load sail", ""), "boat")
    assert list(options(alone)) == ["--cargo"]


def test_fish_facts_of_unknown_commands_are_left_out() -> None:
    script = """
for verb in load unload
    complete -c boat -n "__fish_boat_using_command $verb" -l crate
end
complete -c boat -n "__fish_boat_using_command $unset" -l ghost
complete -c boat -n "__boat_command_is sail" -l wind
complete -c boat -n "__fish_seen_subcommand_from land and not __fish_seen_subcommand_from sea" -l pier
complete -c boat -n "not __fish_seen_argument -l pier" -l anchor
complete -c boat -n __fish_boat_needs_command -a land
"""
    command = infer_fish(script, "boat")
    assert list(options(command)) == ["--anchor"]
    assert list(command.commands or {}) == ["load", "unload", "land"]
    assert list(options(command, "unload")) == ["--crate"]
    assert list(options(command, "land")) == ["--pier"]


ZSH_SYSTEMS = r"""#compdef boat ship=boat -P barge-* tug[0-9.]#
case $OSTYPE in
  darwin*) _arguments '-D[on a desk]' ;;
  *linux*) _arguments '--light[light]' '-I-[include]:dir' ;;
  *) _arguments '--other[elsewhere]' ;;
esac
case $service in
  ship) _arguments '--ship[large]' ;;
  boat) _arguments '--boat[small]' ;;
esac
case $variant in
  gnu) _arguments '--gnu[here]' ;;
  *bsd*) _arguments '--bsd[there]' ;;
esac
[[ $OSTYPE = solaris* ]] && specs+=( '--sun[bright]' )
"""


def test_zsh_arms_for_other_systems_and_programs_are_left_out() -> None:
    command = infer_zsh(ZSH_SYSTEMS, "boat")
    assert list(options(command)) == ["--light", "-I", "--boat", "--gnu"]
    assert command.commands is None
    assert "--ship" in options(infer_zsh(ZSH_SYSTEMS, "ship"))
    assert options(infer_zsh(ZSH_SYSTEMS, "barge-2"))
    assert options(infer_zsh(ZSH_SYSTEMS, "tug2.1"))
    assert options(infer_zsh(ZSH_SYSTEMS, "raft")) == {}


def test_functions_named_after_paths_are_no_commands_of_their_own():
    helpers = "".join(
        f"_boat_{first}_{second}() {{ COMPREPLY=($(compgen -W 'mode kind' -- $cur)); }}\n"
        for first in ("dev", "port", "trap")
        for second in ("set", "param", "group")
    )
    objects = "".join(
        f"_boat_{name}() {{ COMPREPLY=($(compgen -W 'show' -- $cur)); }}\n"
        for name in ("dev", "port", "trap")
    )
    script = f"{objects}{helpers}_boat() {{ :; }}\ncomplete -F _boat boat\n"
    assert sorted(infer_bash(script, "boat").commands) == ["dev", "port", "trap"]


def test_functions_with_a_word_in_common_are_commands():
    names = (
        "add",
        "cherry",
        "cherry_pick",
        "for_each_ref",
        "rev_list",
        "rev_parse",
        "show_ref",
        "ls_files",
        "pull",
    )
    functions = "".join(
        f"_boat_{name}() {{ COMPREPLY=($(compgen -W '--all' -- $cur)); }}\n" for name in names
    )
    script = f"{functions}_boat() {{ :; }}\ncomplete -F _boat boat\n"
    assert "cherry-pick" in infer_bash(script, "boat").commands


def test_a_word_that_follows_every_command_is_no_command():
    arms = "".join(
        f"    {name}) COMPREPLY=($(compgen -W 'dev' -- $cur)) ;;\n"
        for name in ("add", "change", "del")
    )
    script = (
        "_boat() {\n  case ${COMP_WORDS[1]} in\n"
        f"{arms}  esac\n"
        "  [[ $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W 'add change del show' -- $cur))\n}\n"
        "complete -F _boat boat\n"
    )
    commands = infer_bash(script, "boat").commands
    assert set(commands) >= {"add", "change", "del"}
    assert not any(command.commands for command in commands.values())
