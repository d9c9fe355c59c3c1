"""Never: a short list that every preset denies, also when a client skips confirmations.

    (1) removing the system, a home, the workspace's parent or its history
    (2) overwriting or formatting disks, partition tables and boot loaders
    (3) changing mode or owner of whole system folders; killing process 1 or every process
    (4) fork bombs; a download that a root shell runs
    (5) our own policy and audit; our own verbs that widen or disable protection

Each reason says what to do instead. Lists are data; near misses are in `conformance/never`. Everything here only denies.
Pure: uses the words only, not files. See docs/architecture.md "deny is for what no preset allows".
"""

from __future__ import annotations

from atip.calls.effects.engine import program_name
from atip.calls.invocation import UNKNOWN_TEXT
from atip.policy.lines.generated_paths import REMOVERS, empties, generated_paths
from atip.policy.places import vital
from atip.policy.places.habits import PRIVILEGE
from atip.policy.places.sensitive import ANY_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atip.calls.shell.line import ShellCommand, ShellLine, ShellWord
    from atip.policy.command_context import CommandContext
    from atip.policy.places.paths import Paths

_ENDS_WITH_TARGET = frozenset({"cp", "mv", "install", "rsync", "ln", "scp", "dd", "ditto"})
_WRITES_TARGET = frozenset({*_ENDS_WITH_TARGET, "tee", "truncate", "shred", "sponge", "pv"})
_FORMATS = frozenset({"mkswap", "blkdiscard", "fdisk", "cfdisk", "gdisk", "sgdisk", "sfdisk", "parted", "wipefs",
                      "badblocks", "hdparm", "nvme", "cryptsetup", "pvcreate", "pvremove", "mdadm", "zpool", "diskutil"})  # fmt: skip
_SHOWS = frozenset({"-l", "--list", "-d", "--dump", "-J", "--json", "-p", "--print", "-i", "--info", "-v", "-I", "-T",
                    "--verify", "print", "list", "info", "status", "luksDump", "id-ctrl", "smart-log", "-n", "--no-act",
                    "isLuks", "open", "close", "luksOpen", "luksClose", "--detail", "--examine"})  # fmt: skip
_ACTS = {"wipefs": {"-a", "--all", "-o", "--offset"}, "badblocks": {"-w", "-n"}, "hdparm": {"--security-erase", "--security-erase-enhanced"},
         "nvme": {"format", "sanitize"}, "zpool": {"create", "labelclear", "destroy"}, "mdadm": {"--create", "-C", "--zero-superblock"},
         "diskutil": {"eraseDisk", "eraseVolume", "zeroDisk", "secureErase", "partitionDisk"}, "cryptsetup": {"luksFormat", "erase", "luksErase"}}  # fmt: skip
"""Programs that are mostly read-only: the words that make them format."""
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "python", "perl", "ruby", "node", "php", "pwsh"})  # fmt: skip
_DOWNLOADERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx"})
_WIDENS = frozenset({("policy", "allow"), ("policy", "init"), ("policy", "approve"), ("approvals", "add"), ("approvals", "approve"),
                     ("guard", "uninstall"), ("guard", "off"), ("registry", "add"), ("registry", "remove"), ("mcp", "approve"), ("api", "approve"),
                     ("override", "set"), ("override", "add"), ("overrides", "add")})  # fmt: skip
_UNASKED = frozenset({"--yes", "-y", "--unsandboxed", "--remove", "--forget"})
_OPEN_MODES = frozenset(
    {"777", "0777", "000", "0000", "a+rwx", "ugo+rwx", "+rwx", "a=rwx", "a-rwx"}
)

_DISK = "use a file (`disk.img`); only the user may prepare disks, in a terminal"
_TERMINAL = "only the user may do this, in a terminal"


def mark_never(
    subjects: Sequence[CommandContext], command: ShellCommand, line: ShellLine, paths: Paths
) -> list[CommandContext]:
    """Add to each call of one command the reason why it must never run, if any."""
    line_reasons = (_redirects(command, paths), _root_shell(command, line), _why_fed_loss(command, line, paths), _fork_bomb(command, line))  # fmt: skip
    line_reason = next(filter(None, line_reasons), "")
    reasons = [why_never(subject, paths.places.root, paths.places.home) for subject in subjects]
    if line_reason and not any(reasons):
        reasons[0] = line_reason
    return [
        subject.replace(never=why) if why else subject
        for subject, why in zip(subjects, reasons, strict=True)
    ]


def why_never(subject: CommandContext, root: str, home: str) -> str:
    """Why a call must never run, and what to do instead; empty: no reason."""
    name = subject.tool
    checks = (
        _removes(subject, root, home), _formats(name, subject), _opens_all(name, subject, home), _ends_all(name, subject),
        _own_settings(name, subject, home), _disarms(name, subject),
    )  # fmt: skip
    return next(filter(None, checks), "")


# --- (1) loss ------------------------------------------------------------------------------------


def _removes(subject: CommandContext, root: str, home: str) -> str:
    for path in _removed_paths(subject.tool, subject, root):
        lost = vital.what_is_lost(path, root=root, home=home)
        if lost:
            return f"removes {lost}; name a folder inside the workspace instead"
    return ""


def _removed_paths(name: str, subject: CommandContext, root: str) -> Sequence[str]:
    words, flags = subject.argv[1:], set(subject.flags or ())
    if name in REMOVERS:
        recursive = bool(flags & {"-r", "-R", "--recursive"})
        return [path for path in subject.paths if recursive or ANY_FILE in path]
    if name == "find":
        matches = subject.paths if empties(words) else ()
        return [path for path in matches if path != root]  # often intended, so it asks instead
    if name == "mv":
        return subject.paths[:-1]
    if name == "rsync" and any(word.startswith("--del") for word in words):
        return subject.paths[-1:]
    return ()


# --- (2) disks and boot --------------------------------------------------------------------------


def _formats(name: str, subject: CommandContext) -> str:
    words = set(subject.argv[1:])
    if name in ("grub-install", "grub2-install", "lilo") or (
        name == "efibootmgr"
        and words & {"-B", "-b", "-o", "-c", "-O", "-N", "--delete-bootnum", "--create"}
    ):
        return f"changes the boot loader; {_TERMINAL}"
    if name == "diskutil" and words & _ACTS[name]:
        return f"formats or overwrites a disk; {_DISK}"
    targets = _targets(name, subject)
    if any(map(vital.is_boot, targets)):
        return f"writes to the boot loader's folder; {_TERMINAL}"
    if any(map(vital.is_device, targets)):
        return f"formats or overwrites a disk; {_DISK}"
    return ""


def _targets(name: str, subject: CommandContext) -> Sequence[str]:
    """Targets that a program which writes files or disks would overwrite."""
    words = set(subject.argv[1:])
    if name == "dd":
        return [word[3:] for word in subject.argv if word.startswith("of=")]
    if name in _ENDS_WITH_TARGET:
        return subject.paths[-1:]
    if name in _WRITES_TARGET or name.startswith(("mkfs", "newfs")):
        return subject.paths
    if name not in _FORMATS or (words & _SHOWS and not words & _ACTS.get(name, set())):
        return ()
    return subject.paths if name not in _ACTS or words & _ACTS[name] else ()


# --- (3) all users and all processes ---------------------------------------------------------------


def _opens_all(name: str, subject: CommandContext, home: str) -> str:
    if name not in ("chmod", "chown", "chgrp", "setfacl"):
        return ""
    if not set(subject.flags or ()) & {"-R", "--recursive"}:
        return ""
    opens_to_all = name == "chmod" and bool(_OPEN_MODES.intersection(subject.argv))
    if any(vital.is_system(path) or (opens_to_all and path == home) for path in subject.paths):
        return "changes the owner or permissions of a whole system folder or home; name the specific files"
    return ""


def _ends_all(name: str, subject: CommandContext) -> str:
    words = subject.argv[1:]
    if name != "kill" or {"-l", "-L", "--list", "--table"} & set(words):
        return ""
    everything = len(words) > 1 and words[-1] == "-1"
    if everything or "1" in subject.arguments or "-1" in subject.arguments:
        return "kills process 1 or every process; name the specific process"
    return ""


# --- (4) bombs and root shells -------------------------------------------------------------------


def _fork_bomb(command: ShellCommand, line: ShellLine) -> str:
    """A function of the line that is piped into itself and also called."""
    name = _name(command)
    if name not in line.functions or not command.feed:
        return ""
    itself = any(_name(line.commands[index]) == name for index in command.feed)
    calls = sum(1 for command in line.commands if _name(command) == name)
    return "starts endless copies of itself (fork bomb)" if itself and calls > 2 else ""


def _root_shell(command: ShellCommand, line: ShellLine) -> str:
    programs = [program_name(word.text).rstrip("0123456789.") for word in command.words[1:]]
    if _name(command) not in PRIVILEGE or _SHELLS.isdisjoint(programs):
        return ""
    if any(_name(line.commands[index]) in _DOWNLOADERS for index in _sources(command, line)):
        return "a root shell would run what a server sends; download it, read it, then run it"
    return ""


def _sources(command: ShellCommand, line: ShellLine) -> set[int]:
    """Every command whose output reaches this one, through pipes, `$(…)` and `<(…)`."""
    reached: set[int] = set()
    pending = [*(command.feed or ()), *(i for word in command.words for i in _made_by(word))]
    while pending:
        index = pending.pop()
        if index not in reached and index < len(line.commands):
            reached.add(index)
            pending += line.commands[index].feed or ()
    return reached


def _made_by(word: ShellWord) -> Iterator[int]:
    for origin in word.origins:
        yield from origin.commands


def _why_fed_loss(command: ShellCommand, line: ShellLine, paths: Paths) -> str:
    """`echo / | xargs rm -rf`, `for d in /; do rm -rf "$d"; done`: paths that the line itself contains."""
    for path in generated_paths(command, line, paths):
        lost = vital.what_is_lost(path, root=paths.places.root, home=paths.places.home)
        if lost:
            return f"removes {lost}; name a folder inside the workspace instead"
    return ""


# --- (5) ourselves -------------------------------------------------------------------------------


def _own_settings(name: str, subject: CommandContext, home: str) -> str:
    files = subject.effects.filesystem
    if files.write is False and files.delete is False:
        return ""
    paths = subject.paths[-1:] if name in _ENDS_WITH_TARGET - {"mv"} else subject.paths
    return own_reason() if any(vital.is_own(path, home) for path in paths) else ""


def own_reason() -> str:
    return f"changes atip's own policy, approvals or audit; {_TERMINAL}"


def _disarms(name: str, subject: CommandContext) -> str:
    words = _words_to_atip(name, subject.argv[1:])
    plain = tuple(word for word in words if not word.startswith("-"))
    if plain[:2] in _WIDENS or any(w in _UNASKED or w.startswith("--unsafe") for w in words):
        return f"widens what agents may do, or confirms in place of the user; {_TERMINAL}"
    return ""


def _words_to_atip(name: str, words: Sequence[str]) -> Sequence[str]:
    """Arguments of our own program, however it is started; empty: another program."""
    program = name.rpartition("/")[2]
    if program in ("atip", "atip-cli"):
        return words
    if program.startswith("python"):
        for module in ("atip", "atip.cli.main"):
            if module in words and words[: words.index(module)][-1:] == ("-m",):
                return words[words.index(module) + 1 :]
    return ()


# --- what stands around --------------------------------------------------------------------------


def _redirects(command: ShellCommand, paths: Paths) -> str:
    for redirect in command.redirects:
        if redirect.kind not in ("write", "append", "readwrite"):
            continue
        for path in paths.resolve(redirect.target):
            if vital.is_device(path):
                return f"formats or overwrites a disk; {_DISK}"
            if vital.is_boot(path):
                return f"writes to the boot loader's folder; {_TERMINAL}"
            if vital.is_own(path, paths.places.home):
                return own_reason()
    return ""


def _name(command: ShellCommand) -> str:
    word = command.words[0].text if command.words else ""
    return "" if UNKNOWN_TEXT in word else (program_name(word) or word)
