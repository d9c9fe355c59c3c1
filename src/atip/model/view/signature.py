"""One line with the syntax of a command, for users and models. Pure."""

from __future__ import annotations

from atip.model.tool import BOOLEAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option, Tool


def signature(tool: Tool, path: tuple[str, ...], command: Command, *, max_options: int = 12) -> str:
    """`gh pr create <TITLE> [--draft] [--base STRING] …`; required things first, hidden ones left out."""
    words = [tool.name, *filter(None, path)]
    optional = []
    for option in command.options or ():
        if option.hidden or not option.flags:
            continue
        if option.required is True:
            words.append(_option(option))
        else:
            optional.append(option)
    words += [_argument(argument) for argument in command.arguments or ()]
    words += [f"[{_option(one)}]" for one in optional[:max_options]]
    if len(optional) > max_options:
        words.append(f"[+{len(optional) - max_options} options]")
    return " ".join(words)


def _option(option: Option) -> str:
    flags = option.flags
    flag = flags[0] if len(flags) == 1 else max(flags, key=len)
    if option.type == BOOLEAN:
        return flag
    value = (
        "|".join(str(choice) for choice in option.enum[:6]) if option.enum else option.type.upper()
    )
    return f"{flag} {value}" + ("…" if option.variadic else "")


def _argument(argument: Argument) -> str:
    name = argument.name.upper() + ("…" if argument.variadic else "")
    return f"<{name}>" if argument.is_required else f"[{name}]"
