"""Login of a bundle: is the user logged in, log in, refresh in time, notice expiry – and never believe one exit code.

Before an invocation `ensure` settles the state: not logged in is `auth_required` with the command to run. While logged
in, `refresh` runs eagerly when its time has come. After an invocation `after` looks for the sign of expiry and has
it confirmed by `completes_when` before anybody is logged out (P16). Implements AIP-29 "Auth"; SECURITY-BAR row 35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.bundles.login.callback import LoginCallback
from atip.bundles.login.states import AUTHED, UNKNOWN, is_due, moved, reported
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
        """One of the five states, as last seen."""
        return str(self._load().get("state", UNKNOWN))

    @property
    def reported(self) -> str:
        """One of the three states of the text."""
        return reported(self.state)

    def version_seen(self) -> None:
        """The version check passed: from here on the state is known to be something."""
        self._move("version-ok")

    def check(self) -> bool:
        """Look whether the user is logged in, now; updates the state."""
        self._move("version-ok")
        confirmed = self._confirmed()
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
            raise self._required("a login is needed")
        document = self._load()
        if is_due(document.get("refreshed_at"), self._auth.refresh_every_s, self._clock()):
            self._refresh()

    def _refresh(self) -> None:
        assert self._auth is not None
        ok = True
        if self._adapters is not None and self._adapters.refresh is not None:
            ok = self._adapters.run_refresh(self.bundle, self.surface)
        elif self._auth.refresh_cmd is not None:
            said = self.spawner.run(self._auth.refresh_cmd, self.confinement, timeout_s=REFRESH_S)
            ok = said.exit_code == 0
        if ok:
            self._save(refreshed_at=self._clock())
            return
        # one failure may be the network: only a check says that the login is gone
        if self._confirmed() is not True:
            self._move("expired")
            raise self._required("the login has expired and could not be refreshed")

    def after(self, exit_code: int, *, stdout: str = "", stderr: str = "") -> bool:
        """After an invocation: whether the login has expired, confirmed."""
        if self._auth is None:
            return False
        suspected = exit_code == self._auth.expiry_code and self._auth.expiry_code is not None
        if self._adapters is not None and self._adapters.detect_expiry is not None:
            suspected = self._adapters.run_detect_expiry(exit_code, stdout, stderr)
        if not suspected or self._confirmed():
            return False
        self._move("expired")
        return True

    def login(self) -> None:
        """Run the login flow; the user is led through it.

        Raises:
            AuthRequired: `auth_required` where nobody can be asked.
            AtipError: `login.failed`, `login.cancelled`.
        """
        if self._auth is None:
            return
        self._move("version-ok")
        self._move("login-started")
        try:
            self._flow()
            done = self._confirmed() is not False
        except AtipError:
            self._move("login-failed")
            raise
        if not done:
            self._move("login-failed")
            raise AtipError(
                "login.failed",
                f"the login of `{self.bundle.key}` did not complete",
                hint="run it again; nothing was changed",
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
            raise self._required("the login needs a person")
        confinement = self.confinement.replace(tty=self.confinement.tty or flow.interactive)
        if not flow.requires_callback_url:
            self.surface.show(f"running {flow.cmd}")
            said = self.spawner.run(
                flow.cmd, confinement, timeout_s=LOGIN_S, attended=flow.interactive
            )
            self._must(said.exit_code)
            return
        self._with_callback(flow.cmd, confinement)

    def _with_callback(self, cmd: str, confinement: Confinement) -> None:
        """The command is told an address of ours, and gets what comes back there on its standard input."""
        with LoginCallback() as callback:
            variables = dict(confinement.env_set) | {"CALLBACK_URL": callback.url}
            # no terminal: the answer comes on standard input, which has to end
            opened = confinement.replace(env_set=tuple(variables.items()), tty=False)
            values = {"callback_url": callback.url, "state": callback.state}
            said = self.spawner.run(cmd, opened, timeout_s=LOGIN_S, values=values)
            self._must(said.exit_code)
            for line in said.stdout.splitlines():
                if line.strip().startswith(("https://", "http://127.0.0.1:")):
                    self.surface.open(line.strip())
            answer = callback.wait(LOGIN_S)
        told = "".join(f"{name}={value}\n" for name, value in sorted(answer.items()))
        again = self.spawner.run(cmd, opened, timeout_s=LOGIN_S, values=values, stdin=told.encode())
        self._must(again.exit_code)

    def _must(self, exit_code: int) -> None:
        if exit_code != 0:
            raise AtipError("login.failed", f"the login command ended with {exit_code}")

    def _ask_for_secrets(self) -> None:
        """No login command: the user gives the values that SECRETS.md or `state.env` name."""
        slots = self.bundle.exposures() or {
            name: (f"env:{name}", "value") for name in (self._auth.env if self._auth else ())
        }
        if not slots or not self.surface.can_ask:
            raise self._required("credentials are needed")
        for name, (slot, _field) in slots.items():
            if self.secrets.get(self.bundle.key, slot) is None:
                value = self.surface.ask(
                    PromptQuestion(id=slot, text=f"value for {name}", type="secret")
                )
                self.secrets.put(self.bundle.key, slot, value)

    def _confirmed(self) -> bool | None:
        """What `completes_when` says now; None: the bundle has no such check."""
        check = self._auth.login.completes_when if self._auth and self._auth.login else None
        return None if check is None else self._holds(check)

    def _has_credential(self) -> bool:
        """Whether a variable or a secret that the bundle names has a value; true where it names none."""
        assert self._auth is not None
        slots = [slot for slot, _ in self.bundle.exposures().values()]
        slots += [f"env:{name}" for name in self._auth.env]
        if any(self.spawner.env.get(name) for name in self._auth.env):
            return True
        if any(self.secrets.get(self.bundle.key, slot) for slot in slots):
            return True
        return not slots and self._auth.login is None

    def _holds(self, check: CheckCommand) -> bool:
        said = self.spawner.run(check.cmd, self.confinement, timeout_s=min(check.timeout_s, 60.0))
        return said.exit_code == check.exit_code

    def _required(self, why: str) -> AuthRequired:
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
        after = moved(before, event)
        if after != before:
            self._save(state=after, since=self._clock())
            self._record({"event": "auth", "bundle": self.bundle.key, "from": before, "to": after})
