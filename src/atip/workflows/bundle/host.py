"""Bundle host of one user (AIP-29): load, install, set up, log in, report the status.

    bundles = BundleHost(host)
    bundles.install(bundle, confirm=…, confirm_root=…)
    bundles.status(bundle).phase          # "ready"

`bundle.run` runs a tool of a bundle. Lifecycle of a bundle: install → version check → setup → login → ready.
Implements AIP-29 "Lifecycle integration"; docs/architecture.md `define_cli`.
"""

from __future__ import annotations

import getpass
import os
import shutil
from typing import TYPE_CHECKING, Any

from atip.bundles.documents.loading import find_bundles, load_bundle
from atip.bundles.governance import changed_documents
from atip.bundles.images import find_runtime, image_of
from atip.bundles.installing import Installer
from atip.bundles.ledger import SetupLedger
from atip.bundles.login.auth import BundleLogin
from atip.bundles.login.oauth import OAuth
from atip.bundles.login.secrets import SecretStore, field_of
from atip.bundles.requirements import find_host, unmet
from atip.bundles.setup import BundleSetup
from atip.bundles.spawning import CommandSpawner, digest_of
from atip.bundles.state import BundleStore, find_installed
from atip.bundles.surfaces.headless import HeadlessSurface
from atip.bundles.versions import MAX_TIMEOUT_S, VersionFinding, judge_version
from atip.errors import AtipError, SandboxError
from atip.model.permissions.confinement import ANY_PROGRAM, Confinement
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.entry.definition import CliHandle
    from atip.bundles.governance import BundleChange
    from atip.bundles.install.work import Fetch
    from atip.bundles.installing import InstallProposal
    from atip.bundles.login.oauth import Exchange
    from atip.bundles.state import BundleProgram, Installation
    from atip.bundles.surfaces.interface import Surface
    from atip.codecs.climd.manifest import BundleStep
    from atip.workflows.host import Host


class Status(Value):
    """The status of a bundle."""

    key: str
    phase: str
    installed: Installation | None = None
    finding: VersionFinding | None = None
    """Result of the version check, run now; None: nothing to check."""
    pending: tuple[BundleStep, ...] = ()
    auth: str = "none"
    """`none`, `unknown`, `unauthed` or `authed`."""
    changes: tuple[BundleChange, ...] = ()
    unmet: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        return self.phase == "ready"

    def to_json(self) -> dict[str, object]:
        installed = self.installed
        return {
            "bundle": self.key,
            "phase": self.phase,
            "ready": self.is_ready,
            "binary": installed.binary if installed else None,
            "method": installed.method if installed else None,
            "image": installed.image or None if installed else None,
            "version": self.finding.printed if self.finding else None,
            "problem": self.finding.reason or None if self.finding else None,
            "pending": [step.id for step in self.pending],
            "auth": self.auth,
            "changes": [change.to_json() for change in self.changes],
            "unmet": list(self.unmet),
        }


class BundleHost:
    """The host of one user. Holds no state of its own."""

    def __init__(
        self,
        host: Host,
        *,
        surface: Surface | None = None,
        entry: CliHandle | None = None,
        note: Callable[[str], None] = lambda _text: None,
        fetch: Fetch | None = None,
        exchange: Exchange | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
        workspace: str = "",
    ) -> None:
        """
        Args:
            surface: reaches the user; None: no user is present.
            entry: adapters of the caller's `define_cli` entry.
            note: receives progress and warnings.
            fetch: downloads; None: the default HTTP client.
            exchange: OAuth codes for tokens; None: a form is posted to the token address.
            on_output: receives output of login and setup commands.
        """
        self.host = host
        self.surface: Surface = surface or HeadlessSurface()
        self.entry = entry
        self.note = note
        self.workspace = os.path.realpath(workspace or os.getcwd())
        self.store = BundleStore(
            host.places.data, os.path.join(host.places.home, ".local", "lib", "agent-tools")
        )
        self.secrets = SecretStore(
            os.path.join(host.places.config, "bundle-secrets"), find=shutil.which
        )
        self._fetch, self._exchange, self._on_output = fetch, exchange, on_output

    # -- loading -----------------------------------------------------------------------------------

    def load(self, path: str, *, strict: bool = False) -> Bundle:
        """A bundle by folder, by CLI.md, or by the key or id of an installed one."""
        if not os.path.exists(path):
            for key in self.store.list_keys():
                if path in (key, key.partition("@")[0]):
                    path = self.store.get(key).folder
        bundle = load_bundle(
            path,
            workspace=self.workspace,
            strict=strict,
            memory_folder=os.path.join(self.host.places.cache, "bundles"),
        )
        if self.entry is not None:
            for problem in self.entry.disagreements(bundle):
                self.note(f"warning: {problem.message}")
        return bundle

    def find_all(self, root: str) -> list[str]:
        """Folders of bundles below `root`, at any depth."""
        return list(find_bundles(root))

    # -- install -----------------------------------------------------------------------------------

    def propose(self, bundle: Bundle, *, again: bool = False) -> InstallProposal:
        """Describe what an install would do; runs only the version check of an installed program."""
        return self._installer(bundle, lambda _proposal: False, lambda _argv: False).propose(
            again=again
        )

    def install(
        self,
        bundle: Bundle,
        *,
        confirm: Callable[[InstallProposal], bool],
        confirm_root: Callable[[tuple[str, ...]], bool],
        again: bool = False,
    ) -> Installation:
        """Install after confirmation; see `bundles.installing`."""
        installed = self._installer(bundle, confirm, confirm_root).install(again=again)
        self.record({"event": "bundle-install", "bundle": bundle.key, "method": installed.method,
                     "program": installed.binary, "digest": installed.digest})  # fmt: skip
        self.login(bundle, installed).version_seen()
        return installed

    def _installer(
        self,
        bundle: Bundle,
        confirm: Callable[[InstallProposal], bool],
        confirm_root: Callable[[tuple[str, ...]], bool],
    ) -> Installer:
        from atip.bundles.install.work import InstallWorker, fetch_with

        network = bundle.manifest.sandbox.get("network") or {}
        worker = InstallWorker(
            self._fetch or fetch_with(offline=self.host.offline),
            egress=tuple(network.get("egress", ())),
        )
        return Installer(
            bundle,
            self.store,
            worker=worker,
            check=lambda program: self.check_version(bundle, program),
            digest=digest_of,
            find=shutil.which,
            home=self.host.places.home,
            confirm=confirm,
            confirm_root=confirm_root,
            note=self.note,
        )

    def check_version(self, bundle: Bundle, program: BundleProgram) -> VersionFinding:
        """Run the version check, confined like a probe: no network, empty home, nothing writable."""
        check = bundle.manifest.version_check
        spawner = CommandSpawner(bundle, program, home=self.host.places.home, env={})
        timeout_s = min(check.timeout_s, MAX_TIMEOUT_S)
        try:
            output = spawner.run(
                check.cmd,
                Confinement(exec_allow=True, exec_spawn=(ANY_PROGRAM,)),
                timeout_s=timeout_s,
            )
        except SandboxError:
            raise
        except AtipError as error:
            return VersionFinding(ok=False, range=check.range, reason=error.message)
        return judge_version(check, output.text, output.exit_code)

    # -- setup and login ---------------------------------------------------------------------------

    def spawner(self, bundle: Bundle, installed: Installation) -> CommandSpawner:
        """Runs the bundle's commands with the approved program."""
        self._make_state_folders(bundle)
        return CommandSpawner(
            bundle,
            installed.program,
            home=self.host.places.home,
            env=self.environment(bundle),
            on_output=self._on_output,
            keyboard=getattr(self.surface, "keyboard", None),
        )

    def _make_state_folders(self, bundle: Bundle) -> None:
        """Create the granted folders for login state: a missing folder cannot be made writable."""
        from atip.system.files import make_private

        for entry in bundle.requested.fs_write:
            if entry.startswith("~/") and entry.endswith("/**") and "*" not in entry[:-3]:
                make_private(os.path.join(self.host.places.home, entry[2:-3]))

    def environment(self, bundle: Bundle) -> dict[str, str]:
        """The caller's variables, with those that setup and login stored for this bundle."""
        env = dict(os.environ)
        for name, (slot, field) in bundle.exposures().items():
            value = self.secrets.get(bundle.key, slot)
            if value is not None:
                env[name] = field_of(value, field)
        for name in self.own_variables(bundle):
            value = self.secrets.get(bundle.key, f"env:{name}")
            if value is not None:
                env[name] = value
        return env

    def own_variables(self, bundle: Bundle) -> list[str]:
        """Variables whose values the user set for this bundle."""
        setup_variables = [
            step.persist.env for step in bundle.manifest.setup if step.persist and step.persist.env
        ]
        auth = bundle.manifest.auth
        return list(
            dict.fromkeys([*setup_variables, *bundle.exposures(), *(auth.env if auth else ())])
        )

    def granted_confinement(self, bundle: Bundle) -> Confinement:
        """Confinement that the user granted to the bundle at installation, for setup and login commands."""
        requested = bundle.requested
        passed = tuple(dict.fromkeys((*requested.env_pass, *self.own_variables(bundle))))
        return requested.replace(env_pass=passed)

    def ledger(self, bundle: Bundle) -> SetupLedger:
        folder = self.store.folder(bundle.key)
        return SetupLedger(folder, workspace=self.workspace, user=getpass.getuser())

    def setup(
        self, bundle: Bundle, installed: Installation, *, answers: Mapping[str, str] | None = None
    ) -> BundleSetup:
        """The setup of a bundle; `run()` completes it."""
        return BundleSetup(
            bundle,
            ledger=self.ledger(bundle),
            secrets=self.secrets,
            spawner=self.spawner(bundle, installed),
            surface=self.surface,
            confinement=self.granted_confinement(bundle),
            oauth=OAuth(self.secrets, self._exchange or _exchange),
            answers=answers,
            record=self.record,
        )

    def login(self, bundle: Bundle, installed: Installation) -> BundleLogin:
        """The login of a bundle; `login()` runs its flow."""
        return BundleLogin(
            bundle,
            store=self.store,
            secrets=self.secrets,
            spawner=self.spawner(bundle, installed),
            confinement=self.granted_confinement(bundle),
            surface=self.surface,
            adapters=self.entry.adapters if self.entry else None,
            record=self.record,
        )

    def record(self, record: Mapping[str, Any]) -> None:
        """Write to the audit, under the bundle's `id@major`; never a value."""
        self.host.audit.append({**record, "user": os.getuid(), "pid": os.getpid()})

    # -- state -------------------------------------------------------------------------------------

    def status(self, bundle: Bundle, *, look: bool = True) -> Status:
        """Return the status of a bundle.

        Args:
            look: run the version check and the login check; else report the last result.
        """
        missing = tuple(unmet(bundle.manifest.requires, find_host(self.store.root)))
        installed = find_installed(self.store, bundle)
        status = Status(key=bundle.key, phase="not-installed", installed=installed, unmet=missing)
        if installed is None:
            return status.replace(unmet=(*missing, *_without_runtime(bundle)))
        changes = tuple(changed_documents(bundle, installed))
        status = status.replace(changes=changes)
        if any(change.needs_review for change in changes):
            return status.replace(phase="changed")
        if look:
            finding = self.check_version(bundle, installed.program.replace(digest=None))
            status = status.replace(finding=finding)
            if not finding.ok:
                return status.replace(phase="version")
        pending = tuple(self.ledger(bundle).pending(bundle.manifest.setup))
        if pending:
            return status.replace(phase="setup", pending=pending)
        return self._login_status(bundle, installed, status, look)

    def _login_status(
        self, bundle: Bundle, installed: Installation, status: Status, look: bool
    ) -> Status:
        login = self.login(bundle, installed)
        if not login.needs_login:
            return status.replace(phase="ready")
        if look:
            login.check()
        phase = "ready" if login.reported == "authed" else "login"
        return status.replace(phase=phase, auth=login.reported)

    def remove(self, path: str) -> bool:
        """Remove a bundle: the program that we installed, its ledger, its login, its secrets."""
        key = path if "@" in path and not os.path.exists(path) else self.load(path).key
        self.secrets.drop(key)
        return self.store.remove(key)


def _without_runtime(bundle: Bundle) -> tuple[str, ...]:
    """Missing prerequisites of a bundle that runs in a container image."""
    try:
        if image_of(bundle):
            find_runtime(shutil.which)
    except AtipError as error:
        return (f"{error.message}; {error.hint}",)
    return ()


def _exchange(url: str, fields: Mapping[str, str]) -> Mapping[str, Any]:
    from atip.system.network.http_form import post_form

    return post_form(url, fields)
