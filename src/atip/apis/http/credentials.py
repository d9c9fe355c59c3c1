"""Credentials: from a reference in the configuration to a header, at the last moment, for the pinned origin only.

A reference is `${NAME}` (environment), `file:PATH`, `keyring:SERVICE/USER` or `command:ARGV…`; anything else is used
literally, with a warning by `api validate`. Values are never stored, printed or put into an argv; they are
handed to the redactor together with the answer. A command runs confined. Implements ATM §9 and §16.1.
"""

from __future__ import annotations

import base64
import os
import re
import shlex
from typing import TYPE_CHECKING, Any

from atip.apis.http.oauth import fetch_token
from atip.errors import AuthRequired, FormatError
from atip.model.value import Value
from atip.system.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.sandbox.run import OnOutput
    from atip.sandbox.running import RunningProcess

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BAD = re.compile(r"[\x00-\x1f\x7f]")
MAX_BYTES = 64_000


class Credential(Value):
    """Headers and parameters to add to a request, and the secrets inside them, for redaction."""

    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    secrets: tuple[bytes, ...] = ()


NO_CREDENTIAL = Credential()


def resolve_auth(
    auth: Mapping[str, Any] | None,
    look: References,
    *,
    token: Callable[[Mapping[str, str]], str] | None = None,
) -> Credential:
    """The credential that a source's configuration describes.

    Args:
        token: fetches an OAuth 2 access token for resolved settings.

    Raises:
        AuthRequired: `api.auth-missing` when a reference cannot be resolved.
        FormatError: `api.auth-config`.
    """
    if not auth or auth["type"] == "none":
        return NO_CREDENTIAL
    token = token or fetch_token
    kind = auth["type"]
    if kind == "bearer":
        return _header("Authorization", "Bearer ", look.value(auth, "token"))
    if kind == "apiKey":
        return _api_key(auth, look.value(auth, "value"))
    if kind == "basic":
        user, password = look.value(auth, "username"), look.value(auth, "password")
        pair = base64.b64encode(f"{user}:{password}".encode()).decode()
        credential = _header("Authorization", "Basic ", pair)
        return credential.replace(secrets=(*credential.secrets, password.encode()))
    if kind == "oauth2":
        settings = {key: look.text(value) for key, value in auth.items() if isinstance(value, str)}
        settings["scope"] = " ".join(auth.get("scopes", ()))
        credential = _header("Authorization", "Bearer ", token(settings))
        secret = settings.get("clientSecret", "")
        return (
            credential.replace(secrets=(*credential.secrets, secret.encode()))
            if secret
            else credential
        )
    return _custom(auth, look)


def _api_key(auth: Mapping[str, Any], value: str) -> Credential:
    name, place = str(auth.get("name", "")), auth.get("in", "header")
    if not name:
        raise FormatError("api.auth-config", "an API key needs a `name`")
    secrets = (value.encode(),)
    if place == "query":
        return Credential(query=((name, value),), secrets=secrets)
    if place == "cookie":
        return Credential(cookies=((name, value),), secrets=secrets)
    return _header(name, "", value)


def _custom(auth: Mapping[str, Any], look: References) -> Credential:
    """A resolver is a command that prints one header line, `Name: value`."""
    line = look.text(str(auth.get("resolver", "")))
    name, colon, value = line.partition(":")
    if not colon or not name.strip():
        raise FormatError("api.auth-config", "the resolver must print one line `Name: value`")
    return _header(name.strip(), "", value.strip())


def _header(name: str, prefix: str, value: str) -> Credential:
    # SECURITY: a line end inside a secret would begin another header.
    if not value or _BAD.search(value) or _BAD.search(name):
        raise AuthRequired(
            "api.auth-missing", "the credential is empty or contains control characters"
        )
    return Credential(headers=((name, f"{prefix}{value}"),), secrets=(value.encode(),))


class References(Value):
    """Resolves the references of one source."""

    env: Mapping[str, str]
    folder: str
    start: Callable[[tuple[str, ...], OnOutput], RunningProcess]
    """Starts a helper, confined."""

    def value(self, auth: Mapping[str, Any], key: str) -> str:
        if key not in auth:
            raise FormatError("api.auth-config", f"`auth.{key}` is missing")
        return self.text(str(auth[key]))

    def text(self, reference: str) -> str:
        """Resolve a reference; replaces `${NAME}` inside a text.

        Raises:
            AuthRequired: `api.auth-missing`.
        """
        scheme, _, rest = reference.partition(":")
        if scheme == "file" and not rest.startswith("//"):
            path = os.path.join(self.folder, os.path.expanduser(rest))
            return read_bytes(path, MAX_BYTES).decode("utf-8", "strict").strip()
        if scheme == "keyring":
            return _from_keyring(rest)
        if scheme == "command":
            return _from_command(rest, self.start)
        return _VARIABLE.sub(self._variable, reference)

    def _variable(self, match: re.Match[str]) -> str:
        name = match.group(1)
        if not self.env.get(name):
            raise AuthRequired(
                "api.auth-missing",
                f"the environment variable `{name}` is not set",
                hint=f"export {name}=… and try again",
            )
        return self.env[name]


def _from_keyring(rest: str) -> str:
    import importlib

    try:
        keyring = importlib.import_module("keyring")
    except ImportError as error:
        raise AuthRequired(
            "api.auth-missing",
            "the package `keyring` is not installed",
            hint="pip install keyring, or use `${NAME}`",
        ) from error
    service, _, user = rest.partition("/")
    password = keyring.get_password(service, user)
    if not password:
        raise AuthRequired("api.auth-missing", f"the keyring has no entry `{rest}`")
    return str(password)


def _from_command(rest: str, start: Callable[[tuple[str, ...], OnOutput], RunningProcess]) -> str:
    argv = tuple(shlex.split(rest))
    if not argv:
        raise FormatError("api.auth-config", "`command:` has no program")
    output = bytearray()

    def take(name: str, data: bytes) -> None:
        if name == "stdout":
            output.extend(data)
        if len(output) > MAX_BYTES:
            running.cancel()

    running = start(argv, take)
    outcome = running.wait()
    if outcome.exit_code != 0 or outcome.timed_out or len(output) > MAX_BYTES:
        raise AuthRequired(
            "api.auth-missing",
            f"`{argv[0]}` did not print a credential",
            hint="it runs confined: list what it needs in `reads` and `hosts` of the source",
        )
    return output.decode("utf-8", "replace").strip()
