"""Roff text: escape sequences and macro arguments, shared by the man and mdoc readers."""

from __future__ import annotations

import re

_CHARS = {
    "hy": "-", "em": "—", "en": "–", "bu": "•", "aq": "'", "dq": '"', "oq": "‘", "cq": "’", "lq": "“",
    "rq": "”", "co": "©", "rs": "\\", "ti": "~", "ha": "^", "ga": "`", "ul": "_", "ba": "|", "sl": "/",
    "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "<", "ra": ">", "mi": "-", "pl": "+", "->": "→",
    "<-": "←", "mu": "×", "eq": "=", "at": "@", "sh": "#", "Do": "$", "or": "|", "lh": "", "rh": "",
}  # fmt: skip
# SECURITY: every alternative is anchored and bounded, so a page of backslashes stays linear.
_ESCAPE = re.compile(
    r"\\(?:"
    r"\((?P<two>..)|\[(?P<name>[^\]\s]{1,40})\]|\*\((?P<string>..)|\*\[(?P<strings>[^\]]{1,40})\]"
    r"|\*(?P<letter>.)"
    r"|f(?:\\\*(?:\[[^\]]{0,40}\]|\(..|.)|\(..|\[[^\]]{0,20}\]|.)|[mMF](?:\(..|\[[^\]]{0,20}\]|.)|s[+-]?(?:\(..|\[[^\]]{0,9}\]|'[^']{0,9}'|\d{1,2})"
    r"|[hvwbloLDXSHZRA]'[^']{0,80}'|N'(?P<code>\d{1,6})'|n(?:\(..|\[[^\]]{1,40}\]|[+-]?.)"
    r"|[kYVgO](?:\(..|\[[^\]]{1,40}\]|.)|(?P<plain>.)|$)"
)
_PLAIN = {
    "-": "-",
    "e": "\\",
    "\\": "\\",
    " ": " ",
    "~": " ",
    "0": " ",
    "'": "'",
    "`": "`",
    "t": "\t",
    ".": ".",
}


def unescape(text: str, strings: dict[str, str]) -> str:
    """Escape sequences → the characters a terminal would show."""
    if "\\" not in text:
        return text

    def show(match: re.Match[str]) -> str:
        name = match["two"] or match["name"]
        if name:
            if name.startswith("u") and len(name) in (5, 6):
                try:
                    return chr(int(name[1:], 16))
                except ValueError:
                    return ""
            return _CHARS.get(name, "")
        string = match["string"] or match["strings"] or match["letter"]
        if string:
            return strings.get(string, "")
        if match["code"]:
            code = int(match["code"])
            return chr(code) if 31 < code < 0x110000 and not 0xD7FF < code < 0xE000 else ""
        return _PLAIN.get(match["plain"] or "", "")

    return _ESCAPE.sub(show, text)


def split_arguments(text: str) -> list[str]:
    """Arguments of a macro: blanks separate, double quotes keep together."""
    arguments: list[str] = []
    at, size = 0, len(text)
    while at < size:
        if text[at] in " \t":
            at += 1
            continue
        word: list[str] = []
        if text[at] == '"':
            at += 1
            while at < size and (text[at] != '"' or text[at : at + 2] == '""'):
                word.append(text[at])
                at += 2 if text[at : at + 2] == '""' else 1
            at += 1
        else:
            while at < size and text[at] not in " \t":
                step = 2 if text[at] == "\\" else 1
                word.append(text[at : at + step])
                at += step
        arguments.append("".join(word))
    return arguments
