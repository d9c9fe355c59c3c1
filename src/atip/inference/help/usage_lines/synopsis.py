"""Synopsis: the grammar of usage lines – `[-a|-b] [--out=FILE] <src>... {add|rm} [--] …`.

Own tokenizer and a stack instead of recursion: any text gives a tree, unbalanced brackets are
closed at the end, and time is linear. What a node means for a command is decided in `usage.py`.
"""

from __future__ import annotations

from atip.inference.help.flags import parse_flags

SEQUENCE, OPTIONAL, REQUIRED = "sequence", "optional", "required"
FLAG, PLACEHOLDER, WORD = "flag", "placeholder", "word"
_JOINTS = (":", "/", "@", "=", ".")
MAX_DEPTH = 24
MAX_TOKENS = 6_000
_CLOSERS = {"[": "]", "(": ")", "{": "}", "<": ">"}


class UsageNode:
    """A group (`kind` sequence, optional, required) or an atom of a usage line."""

    __slots__ = ("alternatives", "bracket", "kind", "repeat", "text", "value", "value_optional")

    def __init__(self, kind: str, text: str = "", bracket: str = "") -> None:
        self.kind = kind
        self.text = text
        self.bracket = bracket
        self.alternatives: list[list[UsageNode]] = [[]]
        self.repeat = False
        self.value: str | None = None
        """Of a flag: the placeholder joined to it (`--out=FILE`)."""
        self.value_optional = False

    @property
    def children(self) -> list[UsageNode]:
        """All nodes below, whatever the alternative."""
        return [node for branch in self.alternatives for node in branch]

    def __repr__(self) -> str:
        return f"Node({self.kind}, {self.text!r}, {self.alternatives!r})"


def parse_synopsis(text: str) -> UsageNode:
    """The tree of one usage pattern."""
    root = UsageNode(SEQUENCE)
    stack = [root]
    spaced = True
    choice: UsageNode | None = None  # `a | b` outside of brackets
    for symbol in tokenize(text):
        if symbol == " ":
            spaced = True
            continue
        top = stack[-1]
        if symbol == "|" and top is root:
            choice = choice or _choice(root)
            if choice is not None:
                choice.alternatives.append([])
                stack.append(choice)
            continue
        if symbol in _CLOSERS and len(stack) < MAX_DEPTH:
            group = UsageNode(OPTIONAL if symbol == "[" else REQUIRED, bracket=symbol)
            if spaced or not _ends_in_name(top):  # else part of a name: `NAME[:TAG]`, `file[.zip]`
                top.alternatives[-1].append(group)
            stack.append(group)
        elif symbol in ("]", ")", "}", ">"):
            _close(stack, symbol)
            _fold_dots(stack[-1])
        elif symbol == "|":
            top.alternatives.append([])
        elif symbol in ("...", "\u2026"):
            _repeat(top)
        elif symbol == "," and top.bracket == "{":
            top.alternatives.append([])
        elif top.bracket == "{" and "|" in symbol and symbol[0].islower() and len(stack) == 2:
            top.alternatives[-1:] = [[UsageNode(WORD, part)] for part in symbol.split("|")]
        elif symbol not in _CLOSERS and symbol != ",":
            _add(top, symbol, spaced)
        if choice is not None and stack[-1] is choice and symbol != "|":
            stack.pop()
        elif (
            choice is not None
            and stack[-1] is root
            and symbol not in ("|", "...", "]", ")", "}", ">")
        ):
            choice = None
        spaced = False
    return root


def _choice(root: UsageNode) -> UsageNode | None:
    """The last node of the pattern becomes the first alternative of a group."""
    branch = root.alternatives[-1]
    if not branch:
        return None
    group = UsageNode(REQUIRED, bracket="(")
    group.alternatives = [[branch.pop()]]
    branch.append(group)
    return group


def _ends_in_name(top: UsageNode) -> bool:
    branch = top.alternatives[-1]
    return bool(branch) and branch[-1].kind in (WORD, PLACEHOLDER)


def _fold_dots(top: UsageNode) -> None:
    """`<pid> [...]`: what stands before may be repeated."""
    branch = top.alternatives[-1]
    last = branch[-1] if len(branch) > 1 else None
    if last is not None and last.kind == OPTIONAL and last.repeat and not last.children:
        branch.pop()
        branch[-1].repeat = True


def _close(stack: list[UsageNode], symbol: str) -> None:
    for depth in range(len(stack) - 1, 0, -1):
        if _CLOSERS[stack[depth].bracket] == symbol:
            del stack[depth:]
            return


def _repeat(top: UsageNode) -> None:
    branch = top.alternatives[-1]
    last = branch[-1] if branch else None
    if last is not None:
        last.repeat = True
        if len(branch) > 1 and last.kind == OPTIONAL and _names_options(last):
            branch[-2].repeat = True  # `<specifier> [index-options] ...`
    elif len(top.alternatives) == 1:
        top.repeat = True


def _names_options(group: UsageNode) -> bool:
    words = [node.text.lower() for node in group.children]
    if len(words) == 1 and not words[0]:  # `pkg [{=version | /release}]...`
        words = [node.text for node in group.children[0].children]
        return bool(words) and all(word[:1] in ("=", "/") for word in words)
    return len(words) == 1 and words[0].strip("<>").endswith(("options", "option"))


def _add(top: UsageNode, symbol: str, spaced: bool) -> None:
    branch = top.alternatives[-1]
    if symbol.startswith("-") and len(symbol) > 1 and symbol != "--":
        node = UsageNode(FLAG, symbol)
        spec = parse_flags(symbol)
        if spec is None or spec.rest:
            node.kind = WORD
        else:
            node.value = spec.value
            node.value_optional = spec.optional_value
        branch.append(node)
        return
    if not spaced and branch and branch[-1].kind == FLAG and branch[-1].value is None:
        branch[-1].value = symbol.strip("<>=")  # `-S<keyid>`
        return
    if not spaced and branch and branch[-1].kind in (PLACEHOLDER, WORD):
        branch[-1].text += symbol  # `<name>=<value>`, `file(s)`
        return
    if not spaced and branch and branch[-1].kind == OPTIONAL:
        inner = branch[-1].children
        if len(inner) == 1 and inner[0].kind != FLAG and inner[0].text[-1:] in _JOINTS:
            if symbol[0] == "<":
                branch[-1] = UsageNode(PLACEHOLDER, symbol)  # `[<@scope>/]<pkg>`
            else:
                branch[-1] = UsageNode(WORD, f"[{inner[0].text}]{symbol}")  # `[HOST:]PATH`
            return
    kind = PLACEHOLDER if symbol[0] == "<" else WORD
    branch.append(UsageNode(kind, symbol))


def tokenize(text: str) -> list[str]:
    """Brackets, bars, dots, `<placeholders>`, words, and single blanks between them."""
    tokens: list[str] = []
    at, size = 0, len(text)
    while at < size and len(tokens) < MAX_TOKENS:
        char = text[at]
        start = at
        if char.isspace():
            while at < size and text[at].isspace():
                at += 1
            tokens.append(" ")
            continue
        if char in "[](){}|,\u2026":
            at += 1
        elif text.startswith("...", at):
            at += 3
            while at < size and text[at] == ".":
                at += 1
            tokens.append("...")
            continue
        elif text.startswith(" ..]", at - 1):
            at += 2  # `[file ..]`
            tokens.append("...")
            continue
        elif char == "<":
            at = _angle(text, at)
        else:
            at = _word(text, at)
        tokens.append(text[start:at])
    return tokens


def _angle(text: str, at: int) -> int:
    """`<a b>`; `<--x <A>|--y>` nests and is read as a group by the caller's words."""
    end = text.find(">", at, at + 200)
    nested = text.find("<", at + 1, at + 200)
    if end < 0:
        return at + 1
    if 0 < nested < end and "-" in text[at:nested]:
        return at + 1
    return end + 1


def _word(text: str, at: int) -> int:
    """A word; brackets that are glued to a flag (`--color[=WHEN]`, `--[no-]x`) belong to it."""
    start, size = at, len(text)
    flag = text[at] == "-"
    at += 1
    while at < size:
        char = text[at]
        if flag and char in "[<{(":
            close = {"[": "]", "<": ">", "{": "}", "(": ")"}[char]
            end = text.find(close, at, at + 160)
            inner = text[at:end] if end > 0 else ""
            if end < 0 or (char != "[" and char != "<" and text[at - 1] != "=") or "[" in inner[1:]:
                break
            if char == "[" and "|" in inner and text[at - 1] != "=" and not inner.startswith("[="):
                break
            at = end + 1
            continue
        if char == "|" and not flag and at + 1 < size and text[at + 1].isalnum():
            at += 1
            continue
        if char.isspace() or char in "[](){}|,<>\u2026" or text.startswith("...", at):
            break
        at += 1
    if at == start:
        at += 1
    return at
