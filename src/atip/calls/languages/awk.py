"""awk: the tokens of a program, and which of them open files or run commands.

Only as much grammar as tells a redirection from a comparison and a regular expression from a division; where that
is ambiguous the program is unknown. Indirect calls, loaded extensions and included files count as code.
"""

from __future__ import annotations

import re

from atip.calls.languages.program import UNSUPPORTED, ScriptEffects, UnsupportedProgram

_TOKEN = re.compile(
    r'(?P<blank>[ \t\r]+|\\\n|#[^\n]*)|(?P<newline>\n)|(?P<string>"(?:[^"\\\n]|\\.|\\\n)*")'
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:[xX][0-9a-fA-F]+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\|&|\|\||&&|>>|>=|<=|==|!=|!~|\+\+|--|\*\*=|\*\*|[-+*/%^]=|[-+*%^!<>=~?:,;{}()\[\]$@|&])",
    re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[\^?\]?(?:[^\]\n\\/]|\\.)*\])*/", re.DOTALL)
_STREAMS = ('"/dev/stdout"', '"/dev/stderr"', '"/dev/null"', '"-"')
_WORDS_BEFORE_REGEX = frozenset(
    ("print", "printf", "return", "in", "case", "do", "else", "delete", "exit")
)
_FOREIGN = frozenset(("SYMTAB", "FUNCTAB", "PROCINFO"))


def read_awk(text: str) -> ScriptEffects:
    """Effects of an awk program; `UNSUPPORTED` where it is outside the grammar that is read."""
    try:
        tokens = _tokens(text)
        return _judge(tokens)
    except UnsupportedProgram:
        return UNSUPPORTED


def _tokens(text: str) -> list[tuple[str, str]]:
    """(kind, text) of every token; blanks and comments are left out."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        if text[at] == "/" and (starts := _regex_starts(tokens)) is not False:
            match = _REGEX.match(text, at) if starts else None
            if match is None:
                raise UnsupportedProgram
            tokens.append(("regex", match[0]))
        elif text[at] == "/":
            width = 2 if text.startswith("/=", at) else 1
            tokens.append(("op", text[at : at + width]))
            at += width
            continue
        else:
            match = _TOKEN.match(text, at)
            if match is None:
                raise UnsupportedProgram
            if match.lastgroup != "blank":
                tokens.append((str(match.lastgroup), match[0]))
        at = match.end()
    return tokens


def _regex_starts(tokens: list[tuple[str, str]]) -> bool | None:
    """Whether a slash begins a regular expression; None: it depends on more than the token before."""
    if not tokens:
        return True
    kind, text = tokens[-1]
    if kind == "name":
        return None if text == "getline" else text in _WORDS_BEFORE_REGEX
    if kind in ("number", "string", "regex"):
        return False
    if text == ")":
        return None
    return text not in ("]", "$", "++", "--")


def _judge(tokens: list[tuple[str, str]]) -> ScriptEffects:
    runs = environment = reads_any = writes_any = False
    printing, depth = -1, 0
    for at, (kind, text) in enumerate(tokens):
        if kind == "name":
            runs = runs or text == "system" or text in _FOREIGN
            environment = environment or text == "ENVIRON"
            reads_any = reads_any or text in ("getline", "ARGV", "ARGC")
            if text in ("print", "printf"):
                printing = depth
        elif kind == "newline" or text in (";", "{", "}"):
            printing = -1
        elif text in ("(", "["):
            depth += 1
        elif text in (")", "]"):
            depth -= 1
        elif text in ("|", "|&", "@"):
            runs = True
        elif text in (">", ">>") and depth == printing:
            target = tokens[at + 1] if at + 1 < len(tokens) else ("", "")
            writes_any = writes_any or target[1] not in _STREAMS or _is_joined(tokens, at + 2)
    return ScriptEffects(
        runs=runs, environment=environment, reads_any=reads_any, writes_any=writes_any
    )


def _is_joined(tokens: list[tuple[str, str]], at: int) -> bool:
    """Whether the name of a file continues: awk joins texts that stand side by side."""
    if at >= len(tokens):
        return False
    kind, text = tokens[at]
    return kind != "newline" and text not in (";", "}")
