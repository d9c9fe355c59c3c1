"""Queries of the database that a user is logged in to, by `mysql` and `psql`: one statement that can only read.

A query language is not a list of words, so what is allowed is small: `SELECT`, `SHOW`, `DESCRIBE`, `EXPLAIN` of plain names,
without any function call but a few aggregates, without files, variables, locks or accounts. No option that chooses a server, an
account, a file, a pager or a plugin. Pure.
"""

from __future__ import annotations

from atip.model.regex import LazyRegex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_QUERY = 300
_QUERY = LazyRegex(
    r"(?is)\s*(?:select|show|describe|desc|explain)\b[A-Za-z0-9_ \t\n.,*='%<>!()+\"`-]*;?\s*"
)
_ACTS = LazyRegex(
    r"(?i)\b(?:into|outfile|dumpfile|for|lock|procedure|analyze|call|do|set|insert|update|delete|replace|drop|alter|create|truncate|grant|"
    r"execute|prepare|load_file|sleep|benchmark|copy|nextval|setval|dblink|lo_\w+|pg_\w+|sys_\w+)\b|--|/\*|\\"
)
_CALL = LazyRegex(r"([A-Za-z0-9_\"`.]+)\s*\(")
_HARMLESS_CALLS = frozenset("count sum min max avg coalesce lower upper length in and or on where values distinct from select as exists not when then".split())  # noqa: SIM905  # fmt: skip
_ACCOUNTS = LazyRegex(
    r"(?i)passw|secret|token|credential|api_?key|private|session|\bmysql\b|authentication|grants|shadow|authid|user_mapping|processlist|\bvariables\b"
)
_NAME = LazyRegex(r"[A-Za-z0-9_]{1,40}")
_FLAGS = {
    "mysql": LazyRegex(r"-[BbCHNnrstvXEA]+|--(?:batch|html|xml|table|raw|silent|skip-column-names|vertical|no-auto-rehash|column-names|safe-updates)"),
    "psql": LazyRegex(r"-[AtxqHXzn0]+|--(?:no-align|tuples-only|expanded|quiet|html|csv|no-psqlrc|no-readline|list)|-l"),
}  # fmt: skip
_QUERIES = {"mysql": ("-e", "--execute"), "psql": ("-c", "--command")}
_DATABASES = {"mysql": ("-D", "--database"), "psql": ("-d", "--dbname")}


def only_queries(program: str, words: Sequence[str]) -> bool:
    """Whether every word is known here, and the one statement, if there is any, only reads."""
    program = "psql" if program == "psql" else "mysql"
    queries, names, at = 0, 0, 0
    while at < len(words):
        flag, equals, value = words[at].partition("=")
        at += 1
        if flag in _QUERIES[program] or flag in _DATABASES[program]:
            if not equals:
                value, at = (words[at] if at < len(words) else ""), at + 1
            elif not flag.startswith("--"):
                return False
            if flag in _QUERIES[program]:
                queries += 1
                if not _is_query(value):
                    return False
            elif not _NAME.fullmatch(value):
                return False
        elif _FLAGS[program].fullmatch(words[at - 1]):
            queries += program == "psql" and words[at - 1] in ("-l", "--list")
        elif _NAME.fullmatch(words[at - 1]) and not names:
            names += 1
        else:
            return False
    return queries == 1


def _is_query(text: str) -> bool:
    if len(text) > MAX_QUERY or not _QUERY.fullmatch(text) or ";" in text.rstrip().rstrip(";"):
        return False
    if _ACTS.search(text) or _ACCOUNTS.search(text):
        return False
    return all(name.lower() in _HARMLESS_CALLS for name in _CALL.findall(text))
