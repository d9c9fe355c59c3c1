"""Text that holds a command, and every place where bash may evaluate text: variables, arithmetic, builtins.

`carrier` puts the text somewhere, `sink` evaluates what lies there. Most lines of this part are asked about, and
that is right; what counts is that no marker runs in a line that is let through.
"""

from __future__ import annotations

from tests.differential.commands import Commands

INTEGERS = (
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "OPTIND",
    "HISTCMD",
    "LINENO",
    "BASHPID",
    "EPOCHSECONDS",
    "BASH_ARGC",
)
INTEGERS_EVALUATED = (
    "HISTSIZE",
    "TMOUT",
    "COLUMNS",
    "LINES",
    "EXECIGNORE",
    "POSIXLY_CORRECT",
    "FUNCNEST",
    "OPTERR",
)


class Hidden(Commands):
    """The whole grammar: lines of `Commands`, and lines with hidden commands."""

    def text(self) -> str:
        """Text that runs a command where it is evaluated as a number, a subscript, a prompt or a line."""
        return self.one_of(
            "a[$({})]", "a[`{}`]", "x[$({})]", "$({})", "list[0$({})]", "1+a[$({})]"
        ).format(self.mark())

    def p_line_hidden(self) -> str:
        return f"{self.pick('carrier')}; {self.pick('sink')}"

    def p_line_hidden_again(self) -> str:
        return f"{self.pick('carrier')}; y=$x; x=$y; {self.pick('sink')}; {self.pick('sink')}"

    def p_line_hidden_piped(self) -> str:
        return f"echo '{self.text()}' | {{ {self.pick('reader')}; {self.pick('sink')}; }}"

    def p_line_hidden_function(self) -> str:
        return f"f() {{ {self.one_of('x=$1', 'local x=$1', ':', 'x=$*')}; {self.pick('sink')}; }}; f '{self.text()}'"

    def p_line_hidden_integer(self) -> str:
        attribute = self.one_of(
            "declare -i x",
            "typeset -i x",
            "declare -ia x",
            "declare -ix x",
            "readonly -i y; declare -i x",
        )
        return f"{attribute}; {self.pick('carrier')}"

    def p_line_hidden_own_integer(self) -> str:
        name = self.random.choice((*INTEGERS, *INTEGERS_EVALUATED))
        return self.one_of(
            f"{name}='{self.text()}'", f"{name}+='{self.text()}'", f"for {name} in '{self.text()}'; do :; done",
            f"read {name} <<< '{self.text()}'", f"printf -v {name} %s '{self.text()}'", f": ${{{name}:='{self.text()}'}}",
            f"declare {name}='{self.text()}'", f"{name}='{self.text()}' true", f"mapfile {name} <<< '{self.text()}'",
        )  # fmt: skip

    def p_line_hidden_builtin(self) -> str:
        return self.pick("builtin")

    def p_line_hidden_inner(self) -> str:
        return self.pick("inner")

    # --- how text gets into x, or into a place of bash's own --------------------------------------

    def p_carrier_assigned(self) -> str:
        return f"x='{self.text()}'"

    def p_carrier_appended(self) -> str:
        return f"x=; x+='{self.text()}'"

    def p_carrier_declared(self) -> str:
        return f"{self.one_of('declare', 'typeset', 'export', 'readonly', 'declare -g', 'declare -x')} x='{self.text()}'"

    def p_carrier_declared_text(self) -> str:
        return f"declare \"x='{self.text()}'\""

    def p_carrier_read(self) -> str:
        return f"read {self.one_of('', 'x', '-r x', '-a x', 'y x')} <<< '{self.text()}'"

    def p_carrier_read_document(self) -> str:
        return f"read -r x <<'E'\n{self.text()}\nE\n:"

    def p_carrier_mapfile(self) -> str:
        return f"{self.one_of('mapfile', 'readarray', 'mapfile -t x', 'mapfile x')} <<< '{self.text()}'"

    def p_carrier_printf(self) -> str:
        return f"printf -v x %s '{self.text()}'"

    def p_carrier_loop(self) -> str:
        return f"for x in '{self.text()}'; do :; done"

    def p_carrier_arguments(self) -> str:
        return f"set -- '{self.text()}'; x={self.one_of('$1', '$@', '$*', '${1}')}"

    def p_carrier_array(self) -> str:
        return self.one_of(
            f"x=('{self.text()}')", f"x=([0]='{self.text()}')", f"declare -a x=('{self.text()}')"
        )

    def p_carrier_table(self) -> str:
        return f"declare -A t=([k]='{self.text()}'); x=${{t[k]}}"

    def p_carrier_default(self) -> str:
        return self.one_of(
            f": ${{x:='{self.text()}'}}", f"x=${{q:-'{self.text()}'}}", f': "${{x={self.text()}}}"'
        )

    def p_carrier_match(self) -> str:
        return f"[[ '{self.text()}' =~ .* ]]; x=${{BASH_REMATCH[0]}}"

    def p_carrier_last(self) -> str:
        return f": '{self.text()}'; x=$_"

    def p_carrier_output(self) -> str:
        return f"x=$(echo '{self.text()}')"

    def p_carrier_file(self) -> str:
        return f"echo '{self.text()}' > f; x=$(<f)"

    def p_carrier_option(self) -> str:
        return f"getopts a: y -a '{self.text()}'; x=$OPTARG"

    def p_carrier_reference(self) -> str:
        return f"declare -n r=x; r='{self.text()}'"

    def p_carrier_substring(self) -> str:
        return f"q='--{self.text()}'; x=${{q#--}}"

    def p_carrier_environment(self) -> str:
        return f"x='{self.text()}' bash -c 'echo $((x))'; x=1"

    def p_reader_plain(self) -> str:
        return self.one_of("read", "read x", "mapfile", "mapfile -t x", "read -a x", "readarray x")

    def p_reader_loop(self) -> str:
        return f"while read {self.one_of('', '-r', 'x')}; do {self.pick('sink')}; done"

    # --- where text is evaluated -----------------------------------------------------------------

    def p_sink_plain(self) -> str:
        return self.one_of(
            "echo $((x))",
            "echo $((REPLY))",
            "((x))",
            "echo $((MAPFILE))",
            "echo $(($1))",
            "((y=x))",
            "echo $((BASH_REMATCH))",
        )

    def p_sink_arithmetic(self) -> str:
        return self.one_of(
            "echo $[x]",
            "((x++))",
            "echo $((x[0]))",
            "echo $((1 ? x : 0))",
            "let x",
            "let y=x",
            'let "y=$x"',
            "echo $(($x))",
            "((y+=x))",
            "echo $((${x}))",
            "echo $((_))",
            "((x=$_))",
        )

    def p_sink_for(self) -> str:
        return "for ((i=x; i<0; i++)); do :; done"

    def p_sink_subscript(self) -> str:
        return self.one_of(
            "echo ${list[x]}",
            "echo ${list[$x]}",
            "list[x]=1",
            "list[$x]=1",
            "list=([x]=1)",
            "list+=([$x]=1)",
            "echo ${#list[x]}",
            'echo "${list[x]:-1}"',
            "echo ${!list[x]}",
        )

    def p_sink_slice(self) -> str:
        return self.one_of(
            "echo ${y:x}",
            "echo ${y:0:x}",
            "echo ${y:$x}",
            "echo ${@:x}",
            "echo ${list[@]:x}",
            "y=abc; echo ${y: x}",
        )

    def p_sink_test(self) -> str:
        return self.one_of(
            "[[ x -eq 1 ]]",
            "[[ $x -gt 0 ]]",
            "[[ -v $x ]]",
            '[ -v "$x" ]',
            'test -v "$x"',
            '[ "$x" -eq 1 ]',
            "[[ $x == 1 ]]",
            "[[ -v list[$x] ]]",
            "[ $x -gt 0 ]",
            "[[ $REPLY -gt 0 ]]",
            "[[ ${x} -lt y ]]",
            'test 1 -eq "$x"',
        )

    def p_sink_integer(self) -> str:
        return self.one_of(
            "declare -i y; y=$x",
            "declare -i y=$x",
            "local -i y=$x",
            "typeset -i y=x",
            "declare -i y; y=x",
            "declare -i y; y+=$x",
            'declare -i y; read y <<< "$x"',
            "declare -ai y=($x)",
            "declare -i 'y=x'",
        )

    def p_sink_own_integer(self) -> str:
        return f"{self.random.choice(INTEGERS)}=$x"

    def p_sink_name(self) -> str:
        return self.one_of(
            'printf -v "$x" 1',
            'read "$x" <<< 1',
            'unset "$x"',
            'unset -v "$x"',
            'declare "$x"=1',
            'export "$x"',
            'mapfile "$x" </dev/null',
            'wait -n -p "$x"',
            'getopts a "$x"',
            'printf -v "list[$x]" 1',
            'unset "list[$x]"',
            'read "list[$x]" <<< 1',
            'declare "list[$x]=1"',
            'declare -a "list=($x)"',
            "echo ${!x}",
            "declare -n r=$x; echo $r",
            'local "$x"',
        )

    def p_sink_prompt(self) -> str:
        return self.one_of(
            'echo "${x@P}"',
            "PS4=$x; set -x; :; set +x",
            "PS4='$x'; set -x; :",
            "echo ${x@E}",
            "echo ${x@A}",
            "PROMPT_COMMAND=$x",
            "PS0=$x",
        )

    def p_sink_run(self) -> str:
        return self.one_of(
            "eval $x",
            'eval "$x"',
            "$x",
            '"$x"',
            'trap "$x" EXIT',
            'bash -c "$x"',
            'bash <<< "$x"',
            '. <(echo "$x")',
            'source /dev/stdin <<< "$x"',
            "$(echo $x)",
            "echo $x | bash",
            'alias a="$x"; shopt -s expand_aliases\na',
            'mapfile -C "$x" -c 1 y <<< a',
            'complete -C "$x" y',
            "eval \"eval '$x'\"",
            'command eval "$x"',
            'builtin eval "$x"',
        )

    def p_sink_number(self) -> str:
        return self.one_of(
            "exit $x",
            "(return $x)",
            "shift $x",
            "break $x",
            'printf %d "$x"',
            "ulimit -c $x",
            "sleep $x",
            "read -t $x y",
            "read -n $x y",
            "set -- ${x}; echo $#",
            "umask $x",
            "seq $x",
            "head -n $x f",
            "kill -0 $x",
            "history $x",
            'mapfile -n "$x" y',
        )

    def p_sink_table(self) -> str:
        return self.one_of(
            "declare -A t; t[$x]=1",
            'declare -A t; t["$x"]=1; echo ${t[$x]}',
            "declare -A t; t[$x]=1; unset 't[$x]'",
            "declare -A t; t[$x]=1; [[ -v t[$x] ]]",
            "declare -A t; ((t[$x]++))",
            "declare -A t=([$x]=1)",
            "declare -A t; echo $((t[$x]))",
            'declare -A t; printf -v "t[$x]" 1',
            'declare -A t; test -v "t[$x]"',
            'declare -A t; read "t[$x]" <<< 1',
        )

    # --- builtins with text of their own ----------------------------------------------------------

    def p_builtin_plain_eval(self) -> str:
        return self.one_of(
            f"eval '{self.mark()}'",
            f"eval {self.mark()}",
            f"eval 'x=1;' {self.mark()}",
            f'eval "echo \\$({self.mark()})"',
            f"builtin eval {self.mark()}",
            f"command eval {self.mark()}",
            f"eval eval {self.mark()}",
        )

    def p_builtin_let(self) -> str:
        return self.one_of(
            f"let 'y=1,{self.text()}'", f"let x='{self.text()}'", f"let {self.number % 7}+1"
        )

    def p_builtin_trap(self) -> str:
        return f"trap {self.one_of('', '--')} '{self.mark()}' {self.one_of('EXIT', 'DEBUG', 'ERR', '0', 'RETURN', 'USR1')}; false; :"

    def p_builtin_names(self) -> str:
        return self.one_of(
            f"unset 'list[{self.text()}]'",
            f"list=(1); unset 'list[{self.text()}]'",
            f"printf -v 'list[{self.text()}]' 1",
            f"read 'list[{self.text()}]' <<< 1",
            f"declare 'list[{self.text()}]=1'",
            f"[[ -v 'list[{self.text()}]' ]]",
            f"test -v 'list[{self.text()}]'",
            f"list=(1); test -v 'list[{self.text()}]'",
            f"export 'list[{self.text()}]'",
            f"declare -a 'list=({self.text()})'",
            f"declare -a 'list=([{self.text()}]=1)'",
            f"readonly -a x='({self.text()})'",
            f"local -a x='({self.text()})'",
            f"declare -A 't=([{self.text()}]=1)'",
            f"wait -n -p 'list[{self.text()}]'",
            f"mapfile -O '{self.text()}' y <<< a",
            f"[ 1 -eq '{self.text()}' ]",
        )

    def p_builtin_subscript(self) -> str:
        return self.one_of(
            f"list[{self.text()}]=1",
            f"m[$({self.mark()})]=1",
            f"declare -A m; m[$({self.mark()})]=1",
            f"echo ${{list[{self.text()}]}}",
            f"list=([{self.text()}]=1)",
            f"declare -A m; m['{self.text()}']=1; echo ${{m['{self.text()}']}}",
            f"list['{self.text()}']=1",
            f"m[$({self.mark()})]+=1 true",
            f"declare m[$({self.mark()})]=1",
            f"list[0]=`{self.mark()}`",
            f"declare -A m=(a $({self.mark()}))",
        )

    def p_builtin_set(self) -> str:
        return self.one_of(
            f'set -- {self.mark()}; "$@"',
            f"set -- {self.mark()}; $1 $2",
            f"set -- '{self.mark()}'; $1",
            f"set {self.mark()}; $*",
            f"set -k; {self.mark()} x=$({self.mark()})",
            f"set -o keyword; {self.mark()}",
        )

    def p_builtin_source(self) -> str:
        return self.one_of(
            f"source <(echo '{self.mark()}')",
            f". /dev/stdin <<< '{self.mark()}'",
            f"echo '{self.mark()}' > f; . ./f",
            f"echo '{self.mark()}' | . /dev/stdin",
            f"echo '{self.mark()}' > f; bash f",
            f"echo '{self.mark()}' > f; bash --rcfile f -ic :",
            f"echo '{self.mark()}' > f; BASH_ENV=f bash -c :",
            f"echo '{self.mark()}' > f; ENV=f sh -ic :",
            f"echo '{self.mark()}' > f; bash -n +n f",
            f"echo '{self.mark()}' > f; bash -n +o noexec f",
            f"bash < <(echo {self.mark()})",
        )

    def p_builtin_alias(self) -> str:
        return self.one_of(
            f"shopt -s expand_aliases\nalias a='{self.mark()}'\na",
            f"alias mark='{self.mark()};mark'; {self.mark()}",
            f"shopt -s expand_aliases; alias echo='{self.mark()};'\necho x",
            f"BASH_ALIASES[echo]='{self.mark()};'; shopt -s expand_aliases\necho x",
        )

    def p_builtin_hash(self) -> str:
        return self.one_of(
            "hash -p /bin/true mark",
            f"hash -r; {self.mark()}",
            f"enable -n echo; {self.mark()}",
            f"command -v mark; {self.mark()}",
            f"type mark; {self.mark()}",
            f"BASH_CMDS[ls]=/scratch/bin/mark; ls {self.number}",
        )

    def p_builtin_exec(self) -> str:
        return self.one_of(
            f"exec {self.mark()}",
            f"exec -a x {self.mark()}",
            f"command {self.mark()}",
            f"command -p echo $({self.mark()})",
            f"exec > f; {self.mark()}",
            f"env {self.mark()}",
            f"nice {self.mark()}",
            f"(exec {self.mark()})",
            f"env x='$({self.mark()})' {self.mark()}",
        )

    def p_builtin_handler(self) -> str:
        return self.one_of(
            f"command_not_found_handle() {{ {self.mark()}; }}; nosuchcommand",
            f"echo() {{ {self.mark()}; }}; echo x",
            f"cd() {{ {self.mark()}; }}; cd x",
            f"true() {{ {self.mark()}; }}; true",
            f"f() {{ {self.mark()}; }}; export -f f; bash -c f",
            f"function a-b {{ {self.mark()}; }}; a-b",
            f"unset -f mark; {self.mark()}",
        )

    # --- lines inside of lines ---------------------------------------------------------------------

    def p_inner_plain_bash(self) -> str:
        return f"bash -c '{self.mark()}'"

    def p_inner_arguments(self) -> str:
        return self.one_of(
            f"bash -c '$0 $1' {self.mark()}",
            f"bash -c '\"$@\"' _ {self.mark()}",
            f"bash -c '[[ $1 -eq 0 ]]' _ '{self.text()}'",
            f"bash -c 'echo $(($1))' _ '{self.text()}'",
            f"bash -c 'eval $1' _ '{self.mark()}'",
            f"sh -c '$1 $2' _ {self.mark()}",
        )

    def p_inner_environment(self) -> str:
        return self.one_of(
            f"env x='{self.text()}' bash -c 'echo $((x))'",
            f"x='{self.text()}' bash -c '((x))'",
            f"export x='{self.text()}'; bash -c '[[ x -eq 1 ]]'",
            f"env x='{self.mark()}' bash -c '$x'",
            f"x='{self.mark()}' bash -c 'eval \"$x\"'",
            f"export x='{self.text()}'; bash -c 'echo ${{list[x]}}'",
        )

    def p_inner_quoted(self) -> str:
        return f'bash -c "{self.one_of("echo", ":")} \\$({self.mark()}) $({self.mark()})"'

    def p_inner_options(self) -> str:
        return f"bash {self.one_of('-ec', '-xc', '-uc', '-o pipefail -c', '--norc -c', '-e -u -c', '-c --')} '{self.mark()}'"

    def p_inner_xargs(self) -> str:
        return self.one_of(
            f"echo {self.mark()} | xargs env",
            f"echo {self.number + 1} | xargs mark {self.mark().split()[1]}",
            f"printf '%s\\n' '{self.mark()}' | xargs -I{{}} bash -c '{{}}'",
            f"echo '{self.mark()}' | bash",
            f"echo '{self.mark()}' | xargs -0 bash -c",
        )

    def p_inner_find(self) -> str:
        return self.one_of(
            f"find . -maxdepth 0 -exec {self.mark()} \\;",
            f"find . -maxdepth 0 -exec bash -c '{self.mark()}' \\;",
            f"find . -maxdepth 0 -exec bash -c 'echo $(($1))' _ '{self.text()}' \\;",
        )
