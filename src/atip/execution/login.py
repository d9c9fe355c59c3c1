"""Login: check a tool's own login before a command that needs it.

The check is the `checkCommand` of the description, run in the confinement of the call with nothing writable:
a description can at most make the tool read its own state. It never logs in, and never types
a password. Implements ATIP 0.6 §3.8.
"""

from __future__ import annotations

from atip.errors import AuthRequired
from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.model.effects import Effects
    from atip.model.tool import Tool

CHECK_S = 20.0


class LoginState(Value):
    """Login requirement of a tool."""

    check: tuple[str, ...]
    """argv that exits with 0 if the user is logged in; never empty."""
    how: str = ""
    """Command that logs in, for people; empty: not known."""
    variables: tuple[str, ...] = ()
    """Variables that hold a credential instead."""


def login_of(
    tool: Tool | None, path: tuple[str, ...], argv: tuple[str, ...], effects: Effects
) -> LoginState | None:
    """The login that a call needs; None if it needs none, or no check is known."""
    if tool is None or effects.network is False:
        return None
    command = tool.find(path) if path else None
    authentication = (command.authentication if command else None) or tool.authentication
    if (
        authentication is None
        or authentication.required is not True
        or not authentication.check_command
    ):
        return None
    methods = authentication.methods or ()
    how = next((method.setup_command for method in methods if method.setup_command), "")
    try:
        import shlex

        check = tuple(shlex.split(authentication.check_command))
    except ValueError:
        return None
    # SECURITY: only the tool itself is run; a description cannot name another program.
    if not check or check[0] != tool.name:
        return None
    if argv[1 : len(check)] == check[1:] or _is_login(argv, how):
        return None
    variables = tuple(method.env_var for method in methods if method.env_var)
    return LoginState(check=check, how=how, variables=variables)


def _is_login(argv: tuple[str, ...], how: str) -> bool:
    try:
        import shlex

        words = tuple(shlex.split(how))
    except ValueError:
        return False
    return len(words) > 1 and argv[1 : len(words)] == words[1:]


def not_logged_in(tool: str, login: LoginState) -> AuthRequired:
    """The error for a call that would only fail."""
    ways = []
    if login.how:
        ways.append(f"run `{login.how}` yourself, in a terminal")
    if login.variables:
        ways.append(f"set {' or '.join(login.variables)} and grant it in the policy (`grants.env`)")
    ways.append(
        "if you are logged in, grant its login files and host in the policy: the sandbox hides them"
    )
    return AuthRequired(
        "auth.required",
        f"`{tool}` is not logged in, according to its check in the sandbox",
        hint="; or ".join(ways),
        details={"check": list(login.check), "login": login.how},
    )
