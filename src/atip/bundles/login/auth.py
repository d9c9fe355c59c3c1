"""Login of a bundle: check the state, log in, refresh in time, detect expiry – never from one exit code alone.

Before an invocation `ensure` checks the state: not logged in is `auth_required` with the command to run. While logged
in, `refresh` runs when it is due. After an invocation `after` looks for the sign of expiry and confirms it with
`completes_when` before it changes the state (P16). Implements AIP-29 "Auth"; threat 35 of conformance/threats.toml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.bundles.login.callback import LoginCallback
from atip.bundles.login.states import AUTHED, UNKNOWN, is_due, next_state, reported_state
from atip.bundles.surfaces.interface import PromptQuestion
from atip.errors import AtipError, AuthRequired
from atip.system.clock import now

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.entry.adapters import Adapters
    from atip.bundles.login.secrets import SecretStore
    from atip.bundles.spawning import CommandSpawner
    from atip.bundles.state import BundleStore
    from atip.bundles.surfaces.interface import Surface
    from atip.codecs.climd.manifest import CheckCommand
    from atip.model.permissions.confinement import Confinement

FILE = "auth.json"
LOGIN_S = 300.0
REFRESH_S = 60.0


class BundleLogin:
    """The login of one bundle for one user."""

    def __init__(
        self,
        bundle: Bundle,
        *,
        store: BundleStore,
        secrets: SecretStore,
        spawner: CommandSpawner,
        confinement: Confinement,
        surface: Surface,
        adapters: Adapters | None = None,
        clock: Callable[[], float] = now,
        record: Callable[[Mapping[str, Any]], object] = lambda _record: None,
    ) -> None:
        self.bundle, self.secrets, self.spawner = bundle, secrets, spawner
        self.confinement, self.surface = confinement, surface
        self._store, self._adapters, self._clock, self._record = store, adapters, clock, record
        self._auth = bundle.manifest.auth

    @property
    def needs_login(self) -> bool:
        """Whether the bundle has a login surface at all."""
        return self._auth is not None

    @property
    def state(self) -> str:
        """One of the five states, as last recorded."""
        return str(self._load().get("state", UNKNOWN))

    @property
    def reported(self) -> str:
        """One of the three states of the text."""
        return reported_state(self.state)

    def version_seen(self) -> None:
        """Record that the version check passed, which leaves the state `unknown`."""
        self._move("version-ok")

    def check(self) -> bool:
        """Check whether the user is logged in now; updates the state."""
        self._move("version-ok")
        confirmed = self._confirm()
        if confirmed or (confirmed is None and self._has_credential()):
            self._move("seen-logged-in")
            return True
        if self.state == AUTHED:
            self._move("expired")
        return False

    def ensure(self) -> None:
        """Before an invocation: logged in and fresh, or an error.

        Raises:
            AuthRequired: `auth_required`, with the login command.
        """
        if self._auth is None:
            return
        self._move("version-ok")
        if self.state != AUTHED and not self.check():
            raise self._login_required("a login is needed")
        document = self._load()
        if is_due(document.get("refreshed_at"), self._auth.refresh_every_s, self._clock()):
            self._refresh()

    def _refresh(self) -> None:
        assert self._auth is not None
        ok = True
        if self._adapters is not None and self._adapters.refresh is not None:
            ok = self._adapters.run_refresh(self.bundle, self.surface)
        elif self._auth.refresh_cmd is not None:
            output = self.spawner.run(self._auth.refresh_cmd, self.confinement, timeout_s=REFRESH_S)
            ok = output.exit_code == 0
        if ok:
            self._save(refreshed_at=self._clock())
            return
        # one failure may be the network: only a failed check means that the login expired
        if self._confirm() is not True:
            self._move("expired")
            raise self._login_required("the login has expired and could not be refreshed")

    def after(self, exit_code: int, *, stdout: str = "", stderr: str = "") -> bool:
        """After an invocation: whether the login has expired, confirmed."""
        if self._auth is None:
            return False
        suspected = exit_code == self._auth.expiry_code and self._auth.expiry_code is not None
        if self._adapters is not None and self._adapters.detect_expiry is not None:
            suspected = self._adapters.run_detect_expiry(exit_code, stdout, stderr)
        if not suspected or self._confirm():
            return False
        self._move("expired")
        return True

    def login(self) -> None:
        """Run the interactive login flow.

        Raises:
            AuthRequired: `auth_required` where the surface cannot ask.
            AtipError: `login.failed`, `login.cancelled`.
        """
        if self._auth is None:
            return
        self._move("version-ok")
        self._move("login-started")
        try:
            self._flow()
            is_confirmed = self._confirm() is not False
        except AtipError:
            self._move("login-failed")
            raise
        if not is_confirmed:
            self._move("login-failed")
            raise AtipError(
                "login.failed",
                f"the login of `{self.bundle.key}` did not complete",
                hint="run the login again; nothing was changed",
            )
        self._save(refreshed_at=self._clock())
        self._move("login-done")

    def _flow(self) -> None:
        assert self._auth is not None
        if self._adapters is not None and self._adapters.login is not None:
            self._adapters.run_login(self.bundle, self.surface)
            return
        flow = self._auth.login
        if flow is None:
            self._ask_for_secrets()
            return
        if flow.interactive and not self.surface.can_ask:
            raise self._login_required("the login is interactive and needs a terminal")
        confinement = self.confinement.replace(tty=self.confinement.tty or flow.interactive)
        if not flow.requires_callback_url:
            self.surface.show(f"running {flow.cmd}")
            output = self.spawner.run(
                flow.cmd, confinement, timeout_s=LOGIN_S, attended=flow.interactive
            )
            self._must(output.exit_code)
            return
        self._with_callback(flow.cmd, confinement)

    def _with_callback(self, cmd: str, confinement: Confinement) -> None:
        """Pass the command a callback address, then run it again with the received values on standard input."""
        with LoginCallback() as callback:
            variables = dict(confinement.env_set) | {"CALLBACK_URL": callback.url}
            # no terminal: the answer comes on standard input, which has to end
            opened = confinement.replace(env_set=tuple(variables.items()), tty=False)
            values = {"callback_url": callback.url, "state": callback.state}
            output = self.spawner.run(cmd, opened, timeout_s=LOGIN_S, values=values)
            self._must(output.exit_code)
            for line in output.stdout.splitlines():
                if line.strip().startswith(("https://", "http://127.0.0.1:")):
                    self.surface.open(line.strip())
            answer = callback.wait(LOGIN_S)
        answer_lines = "".join(f"{name}={value}\n" for name, value in sorted(answer.items()))
        again = self.spawner.run(
            cmd, opened, timeout_s=LOGIN_S, values=values, stdin=answer_lines.encode()
        )
        self._must(again.exit_code)

    def _must(self, exit_code: int) -> None:
        if exit_code != 0:
            raise AtipError("login.failed", f"the login command failed with exit code {exit_code}")

    def _ask_for_secrets(self) -> None:
        """No login command: ask for the values that SECRETS.md or `state.env` name."""
        slots = self.bundle.exposures() or {
            name: (f"env:{name}", "value") for name in (self._auth.env if self._auth else ())
        }
        if not slots or not self.surface.can_ask:
            raise self._login_required("credentials are needed")
        for name, (slot, _field) in slots.items():
            if self.secrets.get(self.bundle.key, slot) is None:
                value = self.surface.ask(
                    PromptQuestion(id=slot, text=f"value for {name}", type="secret")
                )
                self.secrets.put(self.bundle.key, slot, value)

    def _confirm(self) -> bool | None:
        """Run `completes_when`; None: the bundle has no such check."""
        check = self._auth.login.completes_when if self._auth and self._auth.login else None
        return None if check is None else self._holds(check)

    def _has_credential(self) -> bool:
        """Whether a variable or a secret that the bundle names has a value; true if it names none."""
        assert self._auth is not None
        slots = [slot for slot, _ in self.bundle.exposures().values()]
        slots += [f"env:{name}" for name in self._auth.env]
        if any(self.spawner.env.get(name) for name in self._auth.env):
            return True
        if any(self.secrets.get(self.bundle.key, slot) for slot in slots):
            return True
        return not slots and self._auth.login is None

    def _holds(self, check: CheckCommand) -> bool:
        output = self.spawner.run(check.cmd, self.confinement, timeout_s=min(check.timeout_s, 60.0))
        return output.exit_code == check.exit_code

    def _login_required(self, why: str) -> AuthRequired:
        login = self._auth.login if self._auth else None
        return AuthRequired(
            "auth_required",
            f"`{self.bundle.key}`: {why}",
            hint=f"run `atip bundle login {self.bundle.folder}`",
            details={
                "bundle": self.bundle.key,
                "state": self.reported,
                "login": login.cmd if login else None,
                "env": list(self._auth.env) if self._auth else [],
            },
        )

    # -- state -----------------------------------------------------------------------------------

    def _load(self) -> dict[str, Any]:
        return self._store.load(self.bundle.key, FILE) or {}

    def _save(self, **changes: object) -> None:
        self._store.store(self.bundle.key, FILE, {**self._load(), **changes})

    def _move(self, event: str) -> None:
        before = self.state
        after = next_state(before, event)
        if after != before:
            self._save(state=after, since=self._clock())
            self._record({"event": "auth", "bundle": self.bundle.key, "from": before, "to": after})
