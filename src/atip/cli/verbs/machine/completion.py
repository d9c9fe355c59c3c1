"""Print a completion script for your shell.

  atip completion bash > ~/.local/share/bash-completion/completions/atip
  atip completion zsh  > ~/.zfunc/_atip
  atip completion fish > ~/.config/fish/completions/atip.fish

The script calls `atip` at each key: verbs, options, their values, known tools, and their commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context

EXAMPLES = ("atip completion bash", "atip completion zsh --candidates show git co")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")
    parser.add_argument(
        "--candidates",
        nargs="...",
        default=None,
        metavar="WORD",
        help="print completions for the last of these words, one per line",
    )


def run(options: argparse.Namespace, ctx: Context) -> int:
    if options.candidates is not None:
        from atip.cli.candidates import candidates

        words = candidates(ctx, options.candidates)
        if ctx.as_json:
            ctx.emit({"candidates": words})
        else:
            ctx.out.write("".join(f"{word}\n" for word in words))
        return 0
    script = _SCRIPTS[options.shell]
    if ctx.as_json:
        ctx.emit({"shell": options.shell, "script": script})
    else:
        ctx.print_document(script.rstrip("\n"))
    return 0


_BASH = """\
# bash completion for atip
_atip() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t COMPREPLY < <(atip completion bash --candidates "${words[@]}" 2>/dev/null)
}
complete -o default -F _atip atip
"""
_ZSH = """\
#compdef atip
local -a found
found=(${(f)"$(atip completion zsh --candidates "${(@)words[2,CURRENT]}" 2>/dev/null)"})
if (( $#found )); then compadd -- $found; else _files; fi
"""
_FISH = """\
# fish completion for atip
complete -c atip -a '(atip completion fish --candidates (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
