"""Numbers: which text of a line bash evaluates as arithmetic, and whether it can only be a number.

Arithmetic runs code: in `x='a[$(cmd)]'; echo $((x))` bash reads the value of `x` as an expression again. Bash
evaluates (manual: "Shell Arithmetic", "Arrays", "Shell Parameter Expansion", "Conditional Constructs"):

    (1) `$((…))`, `((…))`, `for ((…))`, operands of `let`
    (2) subscripts of indexed arrays: `${a[…]}`, `a[…]=`, `a=([…]=x)`, and names with one that a builtin is given
    (3) offset and length of `${x:…:…}`
    (4) operands of `-eq -ne -lt -le -gt -ge` in `[[`, and of `-v`
    (5) every value given to a variable with the integer attribute, bash's own ones included

Text is a number if its words can only produce digits. Everything else counts as code.
"""

from __future__ import annotations

from atip.model.text.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from atip.calls.shell.tree import Piece, ShellNode, Word

INTEGERS = frozenset(
    """RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME HISTCMD LINENO BASHPID PPID UID EUID SHLVL OPTIND OPTERR COLUMNS LINES
    TMOUT HISTSIZE HISTFILESIZE FUNCNEST COMP_CWORD COMP_KEY COMP_POINT COMP_TYPE BASH_SUBSHELL BASH_ARGC BASH_LINENO
    BASH_XTRACEFD BASH_COMPAT CHILD_MAX""".split()  # noqa: SIM905
)
"""Variables of bash that hold numbers; it evaluates what some of them are given."""
TEXTS = frozenset(
    """REPLY MAPFILE BASH_REMATCH OPTARG DIRSTACK PWD OLDPWD FUNCNAME PIPESTATUS BASH_COMMAND BASH_EXECUTION_STRING BASH_ARGV
    BASH_ARGV0 BASH_SOURCE BASH_ALIASES BASH_CMDS BASHOPTS SHELLOPTS COMP_LINE COMP_WORDS COMPREPLY READLINE_LINE
    READLINE_ARGUMENT COPROC HISTIGNORE PS4 IFS _""".split()  # noqa: SIM905
)
"""Variables that bash itself fills with text, without an assignment in the line."""
MAX_ROUNDS = 20
_SPECIAL_NUMBERS = frozenset("#?$!")
_NUMBER = LazyRegex(r"-?[0-9]*\Z")
_BRACES = LazyRegex(r"\{\d+\.\.\d+\}\Z")
_EXPRESSION = LazyRegex(r"[\w\s+*/%(),<>=!&|^~?:-]*\Z")
_IDENTIFIER = LazyRegex(r"[A-Za-z_]\w*")
_DATE = LazyRegex(r"\+(%[-_0]?[sYmdHMSjNuwVyCekIlUWg]|[-:. 0-9])+\Z")
_EXPR = LazyRegex(r"(-?\d+|[-+*/%()<>=|&]|[<>!]=)\Z")
_WITHOUT_OPERANDS = {"wc": "lwcmL", "nproc": "", "id": "ugr"}
"""Programs that print numbers alone, as long as they have these options and nothing else."""


class Numbers:
    """Variables of one line that can only hold numbers."""

    def __init__(self) -> None:
        self.sources: dict[str, list[Word | None]] = {}
        """Words that are assigned; None: a value that no word holds (`read`, `printf -v`)."""
        self.added: dict[str, list[Word]] = {}
        """Words that are appended, or become an item of an array."""
        self.integers: set[str] = set()
        """Names that the line gives the integer attribute."""
        self.functions: set[str] = set()
        self._numbers: set[str] | None = None
        self.believes = True
        """Whether a variable that the line does not set may be taken for a number of the environment. Not inside of
        another line, which may have set it, and not where `eval` or an unknown name may."""

    def is_number(self, name: str) -> bool:
        """Whether a variable can only hold a number; one of the environment is assumed to."""
        if name in TEXTS or not self.believes:
            return name in INTEGERS and name not in self.sources and name not in self.added
        if name not in self.sources and name not in self.added:
            return True
        if self._numbers is None:
            self._numbers = self._find_numbers()
        return name in self._numbers

    def _find_numbers(self) -> set[str]:
        """All at first, then without those that get something else, until nothing changes.

        SECURITY: bounded; where that takes long, nothing is a number.
        """
        self._numbers = numbers = (set(self.sources) | set(self.added)) - TEXTS
        for _ in range(MAX_ROUNDS):
            wrong = [name for name in numbers if not self._gets_numbers(name)]
            if not wrong:
                return numbers
            numbers.difference_update(wrong)
        return set()

    def _gets_numbers(self, name: str) -> bool:
        words = (*self.sources.get(name, ()), *self.added.get(name, ()))
        return all(word is not None and self._holds(name, word) for word in words)

    def _holds(self, name: str, word: Word) -> bool:
        if self.holds_number(word.pieces):
            return True
        # `declare -i n; n=n+1`: an expression over numbers
        literal = word.literal
        if name not in self.integers or literal is None or not _EXPRESSION.match(literal):
            return False
        return all(self.is_number(other) for other in _IDENTIFIER.findall(literal))

    def holds_number(self, pieces: Sequence[Piece]) -> bool:
        return all(self._numeric(piece) for piece in pieces)

    def unsafe_integers(self) -> list[str]:
        """Integer variables that the line gives something else than a number."""
        assigned = (self.integers | INTEGERS) & (set(self.sources) | set(self.added))
        return sorted(name for name in assigned if not self.is_number(name))

    def _numeric(self, piece: Piece) -> bool:
        if piece.kind == "text":
            return bool(_NUMBER.match(piece.text)) or bool(_BRACES.match(piece.text))
        if piece.kind == "arithmetic":
            return True  # checked separately
        if piece.kind == "variable":
            return self._numeric_variable(piece)
        return piece.kind == "output" and prints_number(piece.script, self.functions)

    def _numeric_variable(self, piece: Piece) -> bool:
        if piece.op == "length":
            return True
        if not _IDENTIFIER.fullmatch(piece.name):
            return piece.op == "" and piece.name in _SPECIAL_NUMBERS
        operand = [inner for inner in piece.nested if inner.kind != "subscript"]
        plain = piece.op in ("", "item") or (piece.op == ":-" and self.holds_number(operand))
        return plain and self.is_number(piece.name)


def prints_number(script: Sequence[ShellNode], functions: Container[str] = ()) -> bool:
    """Whether the output of commands is a number and nothing else; `functions` are names that mean something else here.

    SECURITY: `wc -l FILE` prints the file's name, `date +TEXT` its text, `expr TEXT` too: none of these is one.
    """
    if len(script) != 1:
        return False
    last = script[0]
    while last.kind == "pipeline":
        last = last.parts[-1][0]
    texts = [word.static for word in last.words]
    if last.kind != "simple" or last.assignments or not texts or None in texts:
        return False
    if any(redirect.kind not in ("read", "here") for redirect in last.redirects):
        return False  # `2>&1` mixes in messages, which hold names
    if texts[0] in functions:
        return False
    return _prints_number([str(text) for text in texts])


def _prints_number(argv: list[str]) -> bool:
    name, words = argv[0], argv[1:]
    if name in _WITHOUT_OPERANDS:
        letters = set(_WITHOUT_OPERANDS[name])
        plain = all(word[:1] == "-" and word[1:] and set(word[1:]) <= letters for word in words)
        return plain and (name != "id" or bool(words))
    if name == "date":
        return len(words) == 1 and bool(_DATE.match(words[0]))
    if name == "expr":
        return bool(words) and all(_EXPR.match(word) for word in words)
    if name == "grep":
        # with one file no name is printed
        return words[:1] == ["-c"] and len(words) <= 3 and not any(w[:1] == "-" for w in words[1:])
    return argv[:3] == ["git", "rev-list", "--count"] or (name == "seq" and words[:1] == ["1"])


_ASSIGNS = LazyRegex(r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=")


def assigns(expression: str) -> bool:
    """Whether an arithmetic expression may assign to a name in it."""
    return _ASSIGNS.search(expression) is not None
