"""Print a completion script for your shell.

atip completion bash > ~/.local/share/bash-completion/completions/atip
atip completion zsh  > ~/.zfunc/_atip
atip completion fish > ~/.config/fish/completions/atip.fish
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def run(options: argparse.Namespace, ctx: Context) -> int:
    from atip.cli.describe import describe

    words = _words(describe()["commands"])
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell](words)
    if ctx.as_json:
        ctx.emit({"shell": options.shell, "script": script})
    else:
        ctx.print(script.rstrip("\n"))
    return 0


def _words(
    commands: dict[str, dict[str, object]], path: str = ""
) -> dict[str, tuple[list[str], list[str], str]]:
    """Path → (subcommands, flags, description)."""
    found: dict[str, tuple[list[str], list[str], str]] = {}
    if not path:
        found[""] = (list(commands), ["--help", "--version", "--agent"], "")
    for name, command in commands.items():
        below = command.get("commands") or {}
        assert isinstance(below, dict)
        options = command.get("options") or []
        assert isinstance(options, list)
        flags = [flag for option in options for flag in option["flags"]]
        full = f"{path} {name}".strip()
        found[full] = (list(below), flags, str(command["description"]).split("\n")[0])
        found.update(_words(below, full) if below else {})
    return found


def _bash(words: dict[str, tuple[list[str], list[str], str]]) -> str:
    arms = "\n".join(
        f"    '{path}') words='{' '.join([*below, *flags])}' ;;"
        for path, (below, flags, _) in words.items()
    )
    return f"""# bash completion for atip
_atip() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} path= word words=
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word == -* || ${{#path}} -gt 40 ]] || path="${{path:+$path }}$word"
  done
  while :; do
    case "$path" in
{arms}
    *) words= ;;
    esac
    [[ -n $words || -z $path ]] && break
    [[ $path == *' '* ]] && path=${{path% *}} || path=
  done
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}}
complete -o default -F _atip atip
"""


def _zsh(words: dict[str, tuple[list[str], list[str], str]]) -> str:
    arms = "\n".join(
        f"    '{path}') reply=({' '.join([*below, *flags])}) ;;"
        for path, (below, flags, _) in words.items()
    )
    return f"""#compdef atip
local path_ word
local -a reply
for word in ${{words[2,CURRENT-1]}}; do [[ $word == -* ]] || path_="${{path_:+$path_ }}$word"; done
while :; do
  case "$path_" in
{arms}
  esac
  (( $#reply )) && break
  [[ -z $path_ ]] && break
  [[ $path_ == *' '* ]] && path_=${{path_% *}} || path_=
done
compadd -- $reply
_files
"""


def _fish(words: dict[str, tuple[list[str], list[str], str]]) -> str:
    lines = ["# fish completion for atip"]
    for path, (below, flags, _) in words.items():
        parts = path.split()
        condition = (
            " ; and ".join(f"__fish_seen_subcommand_from {part}" for part in parts)
            or "__fish_use_subcommand"
        )
        for name in below:
            told = words[f"{path} {name}".strip()][2].replace("'", "")
            lines.append(f"complete -c atip -f -n '{condition}' -a '{name}' -d '{told}'")
        for flag in flags:
            if flag.startswith("--") and parts:
                lines.append(f"complete -c atip -n '{condition}' -l '{flag[2:]}'")
    return "\n".join(lines) + "\n"
