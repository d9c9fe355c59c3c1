"""Shell lines: what is read, what it becomes, what is refused."""

from __future__ import annotations

import pytest

from atip.calls.invocation import ANY_WORDS, UNKNOWN_TEXT
from atip.calls.shell.line import parse_shell
from atip.errors import FormatError

U = UNKNOWN_TEXT


def argvs(line: str) -> list[tuple[str, ...]]:
    parsed = parse_shell(line, home="/home/dev", cwd="/home/dev/project")
    return [command.argv for command in parsed.commands]


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf src",
        r"r\m -rf src",
        "'r'm -rf src",
        'r"m" -rf src',
        "r''m -rf src",
        r"$'\x72\x6d' -rf src",
        r"$'\162m' -rf src",
        '$"rm" -rf src',
        "r\\\nm -rf src",
        'rm "-"rf src',
        "rm\t-rf\tsrc",
        "\n\nrm -rf src\n",
        "{rm,-rf,src}",
        "x='rm -rf src'; $x",
        'cmd=(rm -rf src); "${cmd[@]}"',
        "rm -rf src # and a comment",
    ],
)
def test_every_spelling_is_the_same_command(line):
    assert argvs(line)[-1] == ("rm", "-rf", "src")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("ls && pwd || id; date & who", ["ls", "pwd", "id", "date", "who"]),
        ("a | b |& c", ["a", "b", "c"]),
        ("(a; { b; }) ", ["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
        ("for x in $(a); do b; done", ["a", "for", "b"]),
        ("case $(a) in x) b;; *) c;; esac", ["a", "case", "b", "c"]),
        ("f() { a; }; function g { b; }", ["a", "b"]),
        ('echo "$(a `b`)" $(c)', ["b", "a", "c", "echo"]),
        ("diff <(a) <(b) > >(c)", ["a", "b", "c", "diff"]),
        ("cat <<E\n$(a)\nE", ["a", "cat"]),
        ("echo ${x:-$(a)} ${y/$(b)/c}", ["a", "b", "echo"]),
        ("echo $(( $(a) + 1 ))", ["a", "echo"]),
        ("x=$(a) b", ["a", "b"]),
        ("! time -p a", ["a"]),
        ("coproc a", ["a"]),
    ],
)
def test_every_command_of_a_line_is_found(line, found):
    assert [words[0] for words in argvs(line) if words] == found


@pytest.mark.parametrize(
    "line",
    [
        "echo 'open", 'echo "open', "echo `open", "echo $(open", "echo ${open", "ls )", "ls ;; pwd", "&& ls", "ls >",
        "case x in x) ls", "[[ -f a && ls", "if ls; fi", "for x in a do ls; done", "cat <<E\nno end", "ls |", "f( ls",
        "echo a(b)", "{ ls", "( )", "ls; ; pwd", "$(", "echo \\", "fi", "[[ a b ]]", "ls <<<", "a[0]=(", "$[1+1]",
        "git\u00a0status", "l\u200bs", "ls\x1b[2K", "ls\r", "ls \u202e", "x" * 100_001, "echo $(" * 200 + ")" * 200,
        "echo $'\\x00'", "\"${x:-'}\"",
    ],
)  # fmt: skip
def test_what_bash_refuses_or_nobody_can_see_is_refused(line):
    with pytest.raises(FormatError) as caught:
        parse_shell(line)
    assert caught.value.code == "shell.syntax"


@pytest.mark.parametrize(
    "line",
    ["false && x=ls; $x rm", "(x=ls); $x rm", "x=ls true; $x rm", "x=ls & $x rm", "if a; then x=ls; fi; $x rm",
     "x=ls; x=cat; $x rm", "x=ls; read x; $x rm", "x=ls; x+=y; $x rm", "$x rm"],
)  # fmt: skip
def test_a_variable_that_may_be_empty_is_never_put_in(line):
    assert argvs(line)[-1] == (ANY_WORDS, "rm")


def test_known_values_are_put_in_and_split():
    assert argvs('d=src; ls "$d"/x ~/y $HOME')[-1] == ("ls", "src/x", "/home/dev/y", "/home/dev")
    assert argvs("a=(x 'y z'); ls \"${a[@]}\"")[-1] == ("ls", "x", "y z")


def test_what_is_filled_in_later_is_marked_with_its_origin():
    command = parse_shell('head -n 1 "$f" *.md $(ls)').commands[-1]
    assert command.argv == ("head", "-n", "1", U, f"{U}.md", ANY_WORDS)
    assert [o.kind for word in command.words for o in word.origins] == [
        "variable",
        "glob",
        "output",
    ]


def test_braces_are_expanded_and_bounded():
    assert argvs("ls a{b,c}d {1..3}")[-1] == ("ls", "abd", "acd", "1", "2", "3")
    assert argvs("echo {1..99999}{1..99999}")[-1] == ("echo", ANY_WORDS)


def test_redirections_have_kinds():
    command = parse_shell("a <b >c >>d 2>&1 &>e <<<f 3<>g >&h").commands[0]
    kinds = [(redirect.kind, redirect.target.text) for redirect in command.redirects]
    assert kinds == [("read", "b"), ("write", "c"), ("append", "d"), ("copy", "1"), ("write", "e"), ("here", "f"),
                     ("readwrite", "g"), ("write", "h")]  # fmt: skip


def test_a_pipe_is_remembered():
    assert parse_shell("a | b").commands[1].feed == (0,)
    assert parse_shell("a; b").commands[1].feed is None


@pytest.mark.parametrize(
    "line",
    ["x='a[$(id)]'; echo $((x))", "[[ 'a[$(id)]' -eq 0 ]]", "x='a[$(id)]'; [[ $x -eq 1 ]]", "let 'a[$(id)]=1'",
     "x='a[$(id)]'; echo ${s:$x}", "x='$(id)'; echo \"${x@P}\"", "declare -n r=x"],
)  # fmt: skip
def test_code_hidden_in_values_is_reported(line):
    assert any(command.code for command in parse_shell(line).commands)


@pytest.mark.parametrize(
    "line", ["i=0; echo $((i + 1))", "for i in {1..3}; do echo $((i)); done", "((i++))"]
)
def test_numbers_are_harmless(line):
    assert not any(command.code for command in parse_shell(line).commands)


@pytest.mark.measured
def test_long_lines_are_read_in_linear_time():
    import time

    line = "ls && " * 1_000 + "ls"
    start = time.process_time()
    assert len(parse_shell(line).commands) == 1_001
    assert time.process_time() - start < 1.0
