"""Commands: simple ones, pipes, lists, compounds, functions."""

from __future__ import annotations

from tests.differential.words import Words


class Commands(Words):
    """Adds the commands of the grammar to its words."""

    # --- whole lines -----------------------------------------------------------------------------

    def p_line_list(self) -> str:
        return self.pick("list")

    def p_line_lists(self) -> str:
        return f"{self.pick('list')}; {self.pick('list')}"

    def p_line_newline(self) -> str:
        return f"{self.pick('list')}\n{self.pick('list')}"

    def p_line_comment(self) -> str:
        return f"{self.pick('list')} # {self.one_of('mark', '$(mark 1)', 'x')}\n{self.mark()}"

    def p_line_document(self) -> str:
        return f"cat <<E\n{self.pick('inside')}\n{self.pick('expansion')}\nE\n{self.mark()}"

    def p_line_document_quoted(self) -> str:
        end = self.one_of("'E'", '"E"', "\\E")
        return f"cat <<{end}; {self.mark()}\n$(mark 0)\nE"

    def p_line_document_tabs(self) -> str:
        return f"cat <<-E | {self.mark()}\n\t$({self.mark()})\n\tE\n"

    def p_line_documents(self) -> str:
        return f"cat <<A; cat <<B\n$({self.mark()})\nA\n`{self.mark()}`\nB\n{self.mark()}"

    # --- lists -----------------------------------------------------------------------------------

    def p_list_plain(self) -> str:
        return self.mark()

    def p_list_command(self) -> str:
        return self.pick("command")

    def p_list_two(self) -> str:
        return f"{self.pick('command')}{self.one_of('; ', ' && ', ' || ', chr(10), ' & ')}{self.pick('command')}"

    def p_list_pipe(self) -> str:
        return f"{self.pick('command')} {self.one_of('|', '|&')} {self.pick('command')}"

    def p_list_joined(self) -> str:
        return f"{self.pick('command')} &&\n {self.pick('command')}"

    def p_list_time(self) -> str:
        return f"{self.one_of('time', 'time -p', '!', '! time')} {self.pick('command')}"

    def p_list_background(self) -> str:
        return f"{self.pick('command')} & {self.mark()}"

    # --- simple commands -------------------------------------------------------------------------

    def p_command_plain(self) -> str:
        return self.mark()

    def p_command_words(self) -> str:
        return f"{self.mark()} {self.pick('word')} {self.pick('word')}"

    def p_command_other(self) -> str:
        return f"{self.one_of('echo', ':', 'true', 'printf %s', 'test -n')} {self.pick('word')}"

    def p_command_redirected(self) -> str:
        return f"{self.mark()} {self.pick('redirect')}"

    def p_command_redirected_first(self) -> str:
        return f"{self.pick('redirect')} {self.mark()}"

    def p_command_assigned(self) -> str:
        return f"{self.pick('assignment')} {self.mark()}"

    def p_command_assignment(self) -> str:
        return self.pick("assignment")

    def p_command_quoted_name(self) -> str:
        self.number += 1
        return self.one_of('m""ark', "\\mark", "m'ar'k", "$'mark'") + f" {self.number}"

    def p_command_braces_name(self) -> str:
        self.number += 1
        return f"{{mark,{self.number}}}"

    def p_command_variable_name(self) -> str:
        self.number += 1
        return f"x=mark; $x {self.number}"

    def p_command_variable_line(self) -> str:
        return f"x='{self.mark()}'; $x"

    # --- compounds -------------------------------------------------------------------------------

    def p_command_group(self) -> str:
        return f"{{ {self.pick('list')}; }}"

    def p_command_group_lines(self) -> str:
        return f"{{\n{self.pick('list')}\n}} {self.pick('redirect')}"

    def p_command_subshell(self) -> str:
        return f"({self.pick('list')})"

    def p_command_subshell_redirected(self) -> str:
        return f"( {self.pick('list')} ) {self.pick('redirect')}"

    def p_command_if(self) -> str:
        return f"if {self.pick('list')}; then {self.pick('list')}; fi"

    def p_command_if_else(self) -> str:
        return (
            f"if {self.pick('command')}; then {self.mark()}; elif {self.mark()}\n"
            f"then {self.mark()}; else {self.pick('list')}; fi"
        )

    def p_command_while(self) -> str:
        return f"{self.one_of('while', 'until')} {self.pick('list')}; do {self.pick('list')}; break; done"

    def p_command_while_read(self) -> str:
        return f'{self.mark()} | while read -r x; do {self.mark()} "$x"; done'

    def p_command_for(self) -> str:
        return f"for {self.name()} in {self.pick('word')} {self.pick('word')}; do {self.pick('list')}; break; done"

    def p_command_for_arguments(self) -> str:
        return f"for x; do {self.mark()}; done"

    def p_command_for_number(self) -> str:
        return f"for ((i=0; i<1; i++)); do {self.pick('list')}; done"

    def p_command_for_number_filled(self) -> str:
        return f"for ((i={self.pick('number')}; ; i++)); do {self.mark()}; break; done"

    def p_command_for_braces(self) -> str:
        return f"for ((;;)) {{ {self.mark()}; break; }}"

    def p_command_for_body_braces(self) -> str:
        return f"for x in a {self.pick('word')}; {{ {self.mark()}; }}"

    def p_command_select(self) -> str:
        return f"select x in {self.pick('word')}; do {self.mark()}; break; done"

    def p_command_case(self) -> str:
        end = self.one_of(";;", ";&", ";;&")
        return (
            f"case {self.pick('word')} in {self.pick('pattern')}) {self.pick('list')} {end}"
            f" ({self.pick('pattern')}|b) {self.mark()};; *) {self.mark()}; esac"
        )

    def p_pattern_plain(self) -> str:
        return self.one_of("a", "*", "[ab]", '"a b"', "a*", "?")

    def p_pattern_expansion(self) -> str:
        return self.pick("expansion")

    def p_command_test(self) -> str:
        return f"[[ {self.pick('test')} ]]"

    def p_command_arithmetic(self) -> str:
        return f"(( {self.pick('number')} ))"

    def p_command_arithmetic_or_subshell(self) -> str:
        return f"( (({self.pick('number')})); {self.mark()})"

    def p_command_nested_subshells(self) -> str:
        return f"( ( {self.mark()} ) ; ({self.mark()}))"

    def p_command_coproc(self) -> str:
        return f"coproc {self.pick('coprocess')}"

    def p_coprocess_plain(self) -> str:
        return self.mark()

    def p_coprocess_named(self) -> str:
        return f"mark {{ {self.mark()}; }}"

    def p_coprocess_compound(self) -> str:
        return f"{{ {self.pick('list')}; }}"

    # --- functions -------------------------------------------------------------------------------

    def p_command_function(self) -> str:
        return f"f() {{ {self.pick('list')}; }}; f {self.pick('word')}"

    def p_command_function_word(self) -> str:
        return f"function g {{ {self.pick('list')}; }}; g"

    def p_command_function_subshell(self) -> str:
        return f"h() ( {self.pick('list')} ) {self.pick('redirect')}\nh"

    def p_command_function_for(self) -> str:
        return f"f() for x in 1; do {self.mark()}; done; f"

    def p_command_function_local(self) -> str:
        return (
            f'f() {{ local {self.pick("assignment")}; {self.mark()} "$1"; }}; f {self.pick("word")}'
        )
