"""Rewriting: the line that a client runs instead of a confined one, and clients that are known to run it. Pure.

    npm test  →  /usr/bin/python3 -I -m atip.cli.main run --line --unattended 'npm test'

The program has an absolute path and starts isolated (`-I`: neither the folder nor `PYTHONPATH` chooses its modules). The original line is
one quoted word. `run --line` judges that word again, so it does not rely on this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ALIASES = {"claude": "claude-code", "gemini": "gemini-cli"}
PACKAGES = {
    "claude-code": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "copilot": "@github/copilot",
    "gemini-cli": "@google/gemini-cli",
    "opencode": "opencode",
}
"""Client → name of its package; builds for one platform add `-…`."""
PROVEN = {
    "claude-code": ("2.1.197",),
    "codex": ("0.166.0",),
    "gemini-cli": ("0.61.0",),
    "opencode": ("1.18.33",),
}
"""Client → versions that were tested to run the rewritten line and not the original (`make test-clients`). Others are tested on this machine."""
_OPEN = ("--dangerously-bypass-approvals-and-sandbox", "--yolo", "danger-full-access")
"""Arguments that disable Codex' own sandbox."""
_PLATFORMS = ("-linux-", "-darwin-", "-win32-")
MODULE = ("-I", "-m", "atip.cli.main")
_RUN = ("run", "--line", "--unattended")
READ_ONLY = "--read-only"
_OWN_NAMES = frozenset(("atip", "atip-cli"))


def client_name(word: str) -> str:
    """Canonical name of a client with aliases."""
    return ALIASES.get(word, word)


def is_proven_version(client: str, package: str, version: str) -> bool:
    """Whether this version of a client was tested to run a rewritten line."""
    name = PACKAGES.get(client)
    for platform in _PLATFORMS:  # builds for one platform say so: `0.166.0-linux-x64`
        version = version.partition(platform)[0]
    if name is None or version not in PROVEN.get(client, ()):
        return False
    return package == name or package.startswith(f"{name}-")


def confines_itself(client: str, words: Sequence[str]) -> bool:
    """Whether a client runs lines in a sandbox of its own, in which ours cannot be built.

    Args:
        words: the client's command line. A wrong guess causes a question or a line that does not start, never an unsafe run.
    """
    return client == "codex" and not any(word.endswith(_OPEN) for word in words)


def rewrite_line(python: str, line: str, *, read_only: bool = False, token: str = "") -> str:
    """The line that runs `line` confined.

    Args:
        python: absolute path of the interpreter that has `atip`.
        read_only: nothing can be written, for a client that only plans.
        token: of a test whether the client runs the rewritten line; empty: not a test.

    Raises:
        ValueError: the path is relative, or the line holds a NUL.
    """
    import shlex  # brings `re` along; a hook that rewrites nothing starts without it

    if not python.startswith("/") or "\0" in line:
        raise ValueError("a confined line needs an absolute interpreter and text without NUL")
    options = ((READ_ONLY,) if read_only else ()) + (("--token", token) if token else ())
    # `--`: a line that begins with a dash is still the line
    return shlex.join((python, *MODULE, *_RUN, *options, "--", original_line(line, python)))


def original_line(line: str, python: str = "") -> str:
    """The line inside of `atip run --line '…'`, as an agent repeats it; any other line as it is."""
    words = _words(line)
    if python and tuple(words[: 1 + len(MODULE)]) == (python, *MODULE):
        words = ["atip", *words[1 + len(MODULE) :]]
    if len(words) < 4 or words[0].rpartition("/")[2] not in _OWN_NAMES:
        return line
    options, inner = words[1:-1], words[-1]
    own_options = {*_RUN, READ_ONLY, "--"}
    is_ours = options[:2] == list(_RUN[:2]) and set(options) <= own_options
    return inner if is_ours and inner not in own_options else line


def _words(line: str) -> list[str]:
    """The words of a line that is one quoted command; empty for every other."""
    import shlex  # brings `re` along; a hook that rewrites nothing starts without it

    try:
        words = shlex.split(line)
    except ValueError:
        return []
    # SECURITY: only what quoting alone explains is taken apart; operators and expansions are left to the judge
    return words if shlex.join(words) == line.strip() else []
