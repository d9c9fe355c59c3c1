"""One line that says how a command is called, for people and for models. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.tool import Argument, Command, Option, Tool


def signature(tool: Tool, path: tuple[str, ...], command: Command, *, max_options: int = 12) -> str:
    """`gh pr create <TITLE> [--draft] [--base STRING] …`; required things first, hidden ones left out."""
    words = [tool.name, *(part for part in path if part)]
    options = [one for one in command.options or () if not one.hidden and one.flags]
    words += [_option(one) for one in options if one.is_required]
    words += [_argument(one) for one in command.arguments or ()]
    optional = [one for one in options if not one.is_required]
    words += [f"[{_option(one)}]" for one in optional[:max_options]]
    if len(optional) > max_options:
        words.append(f"[+{len(optional) - max_options} options]")
    return " ".join(words)


def _option(option: Option) -> str:
    flag = max(option.flags, key=len)
    if not option.takes_value:
        return flag
    value = (
        "|".join(str(choice) for choice in option.enum[:6]) if option.enum else option.type.upper()
    )
    return f"{flag} {value}" + ("…" if option.variadic else "")


def _argument(argument: Argument) -> str:
    name = argument.name.upper() + ("…" if argument.variadic else "")
    return f"<{name}>" if argument.is_required else f"[{name}]"
