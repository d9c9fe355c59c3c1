"""Install a bundle: requirements, plans in order, confirmation, the work, the version check, the record.

    (1) the machine must meet `requires`
    (2) an existing program with a version in range is used as it is
    (3) each entry of `install` is planned; what cannot work here gives a reason
    (4) the whole plan is shown and confirmed once; a command that needs root is confirmed by itself
    (5) entries are tried in order, each into a new folder that is removed on failure
    (6) the version check runs on the result; out of range: the same once more, then `version_mismatch`
    (7) program, digest, version, documents and grants are recorded, and only then is the bundle available

Implements AIP-29 "Install methods", "Version detection", "Security considerations".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from atip.bundles.images import find_program, find_runtime, image_of, plan_image
from atip.bundles.install.interface import InstallPlan, Site, plan_all
from atip.bundles.requirements import find_host, unmet
from atip.bundles.state import BundleProgram, Installation
from atip.bundles.versions import VersionFinding, version_mismatch
from atip.errors import AtipError, Denied
from atip.model.value import Value
from atip.system.clock import now_iso

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.install.interface import Action
    from atip.bundles.requirements import HostMachine
    from atip.bundles.state import BundleStore

    class Worker(Protocol):
        """Executes a plan; `install/work.py` has the implementation."""

        def do(self, action: Action, site: Site) -> None: ...

    CheckVersion = Callable[[BundleProgram], VersionFinding]
    """Runs the program confined."""

PRESENT = "present"


class InstallProposal(Value):
    """Plan of an install."""

    key: str
    plans: tuple[InstallPlan, ...] = ()
    unmet: tuple[str, ...] = ()
    present: str = ""
    """An existing program with an accepted version; nothing is installed then."""
    finding: VersionFinding | None = None
    """Version of an existing program, accepted or not; None: no program exists."""

    def to_json(self) -> dict[str, object]:
        return {
            "bundle": self.key,
            "unmet": list(self.unmet),
            "present": self.present or None,
            "version": self.finding.printed if self.finding else None,
            "plans": [plan.to_json() for plan in self.plans],
        }


class Installer:
    """One install of one bundle."""

    def __init__(
        self,
        bundle: Bundle,
        store: BundleStore,
        *,
        worker: Worker,
        check: CheckVersion,
        digest: Callable[[str], str],
        find: Callable[[str], str | None],
        home: str,
        confirm: Callable[[InstallProposal], bool],
        confirm_root: Callable[[tuple[str, ...]], bool],
        note: Callable[[str], None],
        host: HostMachine | None = None,
    ) -> None:
        self.bundle, self.store, self.worker = bundle, store, worker
        self._check, self._digest, self._find = check, digest, find
        self._confirm, self._confirm_root, self._note = confirm, confirm_root, note
        self._home = home
        self._host = host or find_host(store.root)
        self._image = image_of(bundle)

    def propose(self, *, again: bool = False) -> InstallProposal:
        """(1) to (3): what would happen. Runs only the version check of an existing program.

        Args:
            again: install even if a program with an accepted version exists.
        """
        missing = unmet(self.bundle.manifest.requires, self._host)
        finding, path = None, ""
        if not again and not missing and not self._image:
            program = self._find(self.bundle.manifest.bin)
            if program is not None:
                finding = self._check(BundleProgram(binary=program))
                path = program if finding.ok else ""
        site = self._site("PREFIX")
        plans = tuple(self._plan(at, site) for at in range(self._ways))
        return InstallProposal(
            key=self.bundle.key, plans=plans, unmet=tuple(missing), present=path, finding=finding
        )

    @property
    def _ways(self) -> int:
        return 1 if self._image else len(self.bundle.manifest.install)

    def _plan(self, at: int, site: Site) -> InstallPlan:
        """Plan of one install method. SECURITY: an image is the only method: no program of this host is used."""
        if self._image:
            return plan_image(self._image, site, self._find)
        return plan_all([self.bundle.manifest.install[at]], site)[0]

    def install(self, *, again: bool = False) -> Installation:
        """(1) to (7).

        Raises:
            AtipError: `bundle.requirements`, `runner.no-runtime`, `bundle.no-method`, `bundle.install-failed`,
                `version_mismatch`.
            Denied: `bundle.not-confirmed`.
        """
        proposal = self.propose(again=again)
        if proposal.unmet:
            raise AtipError(
                "bundle.requirements", f"`{self.bundle.key}` {'; '.join(proposal.unmet)}"
            )
        if self._image:
            find_runtime(self._find)
        if not proposal.present and not any(plan.is_possible for plan in proposal.plans):
            raise self._no_method(proposal)
        if not self._confirm(proposal):
            raise Denied(
                "bundle.not-confirmed", "nothing was installed: the plan was not confirmed"
            )
        # a second install of the same bundle waits: each removes the folders of attempts that failed
        with self.store.installing(self.bundle.key):
            if proposal.present and proposal.finding is not None:
                return self._record(
                    InstallPlan(method=PRESENT), proposal.present, proposal.finding, ""
                )
            return self._try_all()

    def _try_all(self) -> Installation:
        failures: list[str] = []
        mismatch: VersionFinding | None = None
        for at in range(self._ways):
            site = self._site(self.store.new_prefix(self.bundle.key))
            plan = self._plan(at, site)
            if not plan.is_possible:
                self._note(f"{plan.method}: skipped: {plan.why_not}")
                failures.append(f"{plan.method}: {plan.why_not}")
                self._clean()
                continue
            try:
                return self._try(at, plan, site)
            except AtipError as error:
                self._clean()
                if isinstance(error, Denied):
                    raise
                if error.code == "version_mismatch":
                    mismatch = VersionFinding(ok=False, **_finding(error))
                failures.append(f"{plan.method}: {error.message}")
                self._note(f"{plan.method}: {error.message}")
        if mismatch is not None:
            raise version_mismatch(self.bundle.key, mismatch)
        raise AtipError(
            "bundle.install-failed",
            f"no install method of `{self.bundle.key}` worked: {'; '.join(failures)[:600]}",
            hint="nothing was left behind; `atip bundle doctor` lists what is missing",
            details={"tried": failures},
        )

    def _try(self, at: int, plan: InstallPlan, site: Site) -> Installation:
        finding = VersionFinding(ok=False, reason="the program was not found after the install")
        for attempt in (1, 2):
            self._work(plan, site)
            binary = self._program(plan)
            if binary is not None:
                program = BundleProgram(binary=binary, visible=plan.visible, root=plan.root)
                finding = self._check(program)
                if finding.ok:
                    return self._record(plan, binary, finding, site.prefix)
            if attempt == 1:
                self._note(f"{plan.method}: {finding.reason}; trying once more")
                self._clean()
                site = self._site(self.store.new_prefix(self.bundle.key))
                plan = self._plan(at, site)
        raise version_mismatch(self.bundle.key, finding)

    def _work(self, plan: InstallPlan, site: Site) -> None:
        for action in plan.actions:
            # SECURITY: root is never used silently, whichever user runs us: each command is confirmed.
            if action.needs_root and not self._confirm_root(action.argv):
                raise Denied(
                    "bundle.root-not-confirmed",
                    "nothing was installed: the command as root was not confirmed",
                )
            self._note(action.render())
            self.worker.do(action, site)

    def _program(self, plan: InstallPlan) -> str | None:
        if plan.root:
            return find_program(plan.root, self.bundle.manifest.bin)
        for path in plan.binaries:
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
        return None if plan.binaries else self._find(self.bundle.manifest.bin)

    def _record(
        self, plan: InstallPlan, binary: str, finding: VersionFinding, prefix: str
    ) -> Installation:
        paths = (*plan.visible, plan.root)
        kept_prefix = prefix if any(path.startswith(prefix) for path in paths) and prefix else ""
        digest = getattr(self.worker, "image_digest", "")
        installed = Installation(
            key=self.bundle.key,
            folder=self.bundle.folder,
            binary=binary,
            digest=self._digest(binary),
            version=finding.printed or finding.version,
            method=plan.method,
            prefix=kept_prefix,
            visible=plan.visible,
            root=os.path.realpath(plan.root) if plan.root else "",
            image=f"{self._image} {digest}" if plan.root else "",
            documents=dict(self.bundle.digests),
            manifest=dict(self.bundle.manifest.fields),
            granted=dict(self.bundle.manifest.sandbox),
            at=now_iso(),
        )
        self.store.save(installed)
        self.store.drop_prefixes(self.bundle.key, keep=kept_prefix)
        return installed

    def _clean(self) -> None:
        """Remove the files of a failed attempt; an earlier recorded install stays."""
        before = self.store.find(self.bundle.key)
        self.store.drop_prefixes(self.bundle.key, keep=before.prefix if before else "")

    def _site(self, prefix: str) -> Site:
        return Site(
            bin=os.path.basename(self.bundle.manifest.bin),
            prefix=prefix,
            folder=self.bundle.folder,
            host=self._host,
            home=self._home,
            is_root=os.geteuid() == 0,
            find=self._find,
        )

    def _no_method(self, proposal: InstallProposal) -> AtipError:
        reasons = [f"{plan.method}: {plan.why_not}" for plan in proposal.plans]
        hints = [plan.hint for plan in proposal.plans if plan.hint]
        return AtipError(
            "bundle.no-method",
            f"no install method of `{self.bundle.key}` works here: {'; '.join(reasons)[:600]}",
            hint=hints[0] if hints else "",
            details={"plans": [plan.to_json() for plan in proposal.plans]},
        )


def _finding(error: AtipError) -> dict[str, str]:
    details = error.details
    return {
        "printed": str(details.get("found") or ""),
        "version": str(details.get("version") or ""),
        "range": str(details.get("range") or ""),
        "reason": error.message.partition(": ")[2],
    }
