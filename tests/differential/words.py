"""Words: quoting, expansions, substitutions, redirections, assignments, operands of `[[` and of arithmetic."""

from __future__ import annotations

from tests.differential.grammar import Base


class Words(Base):
    """Everything below a command. `pick("list")` comes from the commands."""

    # --- one word --------------------------------------------------------------------------------

    def p_word_plain(self) -> str:
        return self.one_of("a", "b-c", "1", "./f", "-n", "x=y", "a:b", "#", "q#r")

    def p_word_plain_single(self) -> str:
        return self.one_of("'a b'", "''", "'$(no)'", "'\"'", "'a\\'")

    def p_word_double(self) -> str:
        return f'"{self.pick("inside")}{self.pick("inside")}"'

    def p_word_locale(self) -> str:
        return f'$"{self.pick("inside")}"'

    def p_word_ansi(self) -> str:
        return self.one_of("$'a\\tb'", "$'\\x41'", "$'\\''", "$'\\u0041'", "$'\\101'")

    def p_word_escaped(self) -> str:
        return self.one_of("\\$x", "a\\ b", "\\;", "\\`", "\\(", "a\\\nb", "\\\\")

    def p_word_joined(self) -> str:
        return self.pick("word") + self.pick("expansion")

    def p_word_expansion(self) -> str:
        return self.pick("expansion")

    def p_word_braces(self) -> str:
        return self.one_of("{a,b}", "a{1..3}", "{x,{y,z}}", "{a,", "{}", "{a}", "x{,y}", "{c..a}")

    def p_word_braces_filled(self) -> str:
        return f"{{{self.pick('expansion')},{self.pick('word')}}}"

    def p_word_tilde(self) -> str:
        return self.one_of("~", "~/x", "~+", "~-", "~nobody", "a=~")

    def p_word_glob(self) -> str:
        return self.one_of("*", "?.c", "[ab]*", "*/x", "[!a]", "[[:alpha:]]*")

    def p_word_input(self) -> str:
        return f"<({self.pick('list')})"

    def p_word_output(self) -> str:
        return f">({self.pick('list')})"

    # --- inside double quotes --------------------------------------------------------------------

    def p_inside_plain(self) -> str:
        return self.one_of("a", " ", "'", '\\"', "\\$", "\\`", "#", "!", "*", "a\\\nb", "\\a", ";")

    def p_inside_expansion(self) -> str:
        return self.pick("expansion")

    # --- expansions ------------------------------------------------------------------------------

    def p_expansion_plain(self) -> str:
        return self.one_of("$x", "${y}", "$1", "$@", "$#", "$?", "$$", "$-", "$*", "$_", "$!", "$0")

    def p_expansion_command(self) -> str:
        return f"$({self.pick('list')})"

    def p_expansion_command_blank(self) -> str:
        return f"$( {self.pick('list')}\n)"

    def p_expansion_backtick(self) -> str:
        return f"`{self.mark()}`"

    def p_expansion_backtick_nested(self) -> str:
        return f"`{self.mark()} \\`{self.mark()}\\``"

    def p_expansion_file(self) -> str:
        return self.one_of("$(<f)", "$(< f)", "$(</dev/null)")

    def p_expansion_arithmetic(self) -> str:
        return f"$(({self.pick('number')}))"

    def p_expansion_arithmetic_old(self) -> str:
        return f"$[{self.pick('number')}]"

    def p_expansion_default(self) -> str:
        op = self.one_of(":-", "-", ":=", "=", ":+", "+", ":?", "?")
        return f"${{{self.name()}{op}{self.pick('operand')}}}"

    def p_expansion_cut(self) -> str:
        op = self.one_of("#", "##", "%", "%%", "^", "^^", ",", ",,")
        return f"${{{self.name()}{op}{self.pick('operand')}}}"

    def p_expansion_replace(self) -> str:
        op = self.one_of("/", "//", "/#", "/%")
        return f"${{{self.name()}{op}{self.pick('operand')}/{self.pick('operand')}}}"

    def p_expansion_slice(self) -> str:
        return f"${{{self.name()}:{self.pick('number')}}}"

    def p_expansion_slice_long(self) -> str:
        return f"${{{self.name()}: {self.pick('number')}:{self.pick('number')}}}"

    def p_expansion_item(self) -> str:
        return f"${{list[{self.pick('number')}]}}"

    def p_expansion_all(self) -> str:
        return self.one_of(
            "${list[@]}", "${list[*]}", "${!list[@]}", "${#list[@]}", "${@:1}", "${!x*}"
        )

    def p_expansion_length(self) -> str:
        return self.one_of("${#x}", "${##}", "${#}", "${#@}", "${#list[0]}", "${#?}")

    def p_expansion_indirect(self) -> str:
        return self.one_of("${!x}", "${!x:-a}", "${!1}", "${!y%b}")

    def p_expansion_transform(self) -> str:
        return f"${{{self.name()}@{self.one_of(*'UuLQEAKakP')}}}"

    def p_operand_plain(self) -> str:
        return self.one_of("a", "", "*", "a b", "?")

    def p_operand_word(self) -> str:
        return self.pick("word").replace("}", "\\}") if self.depth > 2 else self.pick("expansion")

    def p_operand_quoted(self) -> str:
        return f'"{self.pick("inside")}"'

    def p_operand_command(self) -> str:
        return f"$({self.mark()})"

    # --- numbers ---------------------------------------------------------------------------------

    def p_number_plain(self) -> str:
        return self.one_of("0", "1", "1+1", "x", "2>1", "(1)", "-1", "!0", "x?1:2")

    def p_number_assigned(self) -> str:
        return self.one_of("x=1", "count++", "x+=1", "x=y=2", "++count", "x<<=1")

    def p_number_command(self) -> str:
        return f"$({self.mark()})"

    def p_number_backtick(self) -> str:
        return f"1+`{self.mark()}`"

    def p_number_item(self) -> str:
        return f"list[{self.pick('number')}]"

    def p_number_expansion(self) -> str:
        return self.one_of("$x", "${#x}", "${x:-1}", "$#", "$1", '"$x"', "16#ff", "$((1))")

    # --- redirections ----------------------------------------------------------------------------

    def p_redirect_plain(self) -> str:
        return self.one_of(
            "> f",
            ">> f",
            "2> f",
            "2>&1",
            ">| f",
            "&> f",
            "&>> f",
            "<> f",
            ">&2",
            "2>&-",
            "< /dev/null",
        )

    def p_redirect_word(self) -> str:
        return f"{self.one_of('>', '<', '>>', '2>')} {self.pick('expansion')}"

    def p_redirect_process(self) -> str:
        return self.one_of(f"> >({self.mark()})", f"< <({self.mark()})")

    def p_redirect_here(self) -> str:
        return f"<<< {self.pick('word')}"

    def p_redirect_descriptor(self) -> str:
        return self.one_of("{fd}> f", "3<&0", "4>&1", "{fd}<&-", "3>&1-")

    # --- assignments -----------------------------------------------------------------------------

    def p_assignment_plain(self) -> str:
        return f"{self.name()}={self.one_of('1', 'a', '', 'mark')}"

    def p_assignment_word(self) -> str:
        return f"{self.name()}={self.pick('word')}"

    def p_assignment_append(self) -> str:
        return f"{self.name()}+={self.pick('word')}"

    def p_assignment_item(self) -> str:
        return f"list[{self.pick('number')}]={self.pick('word')}"

    def p_assignment_array(self) -> str:
        return f"list=({self.pick('word')} {self.pick('word')})"

    def p_assignment_array_items(self) -> str:
        return f"list+=([{self.pick('number')}]={self.pick('word')})"

    # --- tests -----------------------------------------------------------------------------------

    def p_test_plain(self) -> str:
        return self.one_of(
            "-n a", "a == b", "-f f", "a", "1 -lt 2", "! -z a", "-v x", "a < b", "-o errexit"
        )

    def p_test_word(self) -> str:
        return f"{self.pick('word')} {self.one_of('==', '!=', '=', '<', '-nt')} {self.pick('expansion')}"

    def p_test_regex(self) -> str:
        return f"{self.pick('word')} =~ {self.one_of('^a', '(a|b)', '$x', '[[:space:]]')}"

    def p_test_number(self) -> str:
        return f"{self.pick('expansion')} {self.one_of('-eq', '-gt', '-ne')} {self.pick('number')}"

    def p_test_and(self) -> str:
        return f"{self.pick('test')} {self.one_of('&&', '||')} {self.pick('test')}"

    def p_test_group(self) -> str:
        return f"( {self.pick('test')} )"

    def p_test_not(self) -> str:
        return f"! {self.pick('test')}"
