"""Bundle: a loaded CLI.md folder – manifest, tools, companions – as one value. Loading is `loading.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.bundles.documents.intents import read_intents
from atip.codecs.climd.manifest import CliManifest
from atip.codecs.climd.sandbox import bundle_confinement, tool_confinement
from atip.errors import NotFoundError
from atip.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atip.bundles.documents.intents import BundleIntent
    from atip.codecs.climd.tool import BundleTool
    from atip.model.permissions.confinement import Confinement
    from atip.model.problems import Problem

ENGINES = {"docker": "sandbox", "podman": "sandbox"}
"""Engines that bundles use but RUNNER.md does not define (P4)."""


class Bundle(Value):
    """A loaded bundle."""

    folder: str
    """Absolute."""
    manifest: CliManifest
    tools: tuple[BundleTool, ...] = ()
    digests: tuple[tuple[str, str], ...] = ()
    """SHA-256 of every document that was read, by path; what the user reviewed."""
    secrets: tuple[Mapping[str, Any], ...] = ()
    """Entries of the SECRETS.md that `auth.ref` points to; names and meanings, never values."""
    intents: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Reference and fields of the INTENT.md files that exist."""
    runner: Mapping[str, Any] = {}
    """AIP-17 block, inline or from RUNNER.md; empty: a subprocess."""
    workspace: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def key(self) -> str:
        """`id@major`."""
        return self.manifest.key

    @property
    def engine(self) -> str:
        """`subprocess` or `sandbox`; either way the program runs confined. SECURITY: never `in-process`."""
        engine = str(self.runner.get("engine", "subprocess"))
        return ENGINES.get(engine, engine) if engine != "in-process" else "subprocess"

    @property
    def requested(self) -> Confinement:
        """Confinement that the bundle requests, login state included.

        Raises:
            FormatError: `sandbox.block`: something in it cannot be granted.
        """
        auth = self.manifest.auth
        return bundle_confinement(
            self.manifest.sandbox,
            workspace=self.workspace or self.folder,
            state_paths=auth.paths if auth else (),
            state_env=auth.env if auth else (),
        )

    def requested_by(self, tool: BundleTool) -> Confinement:
        """Confinement that one tool requests: the bundle's, or less."""
        return tool_confinement(
            self.manifest.sandbox,
            self.requested,
            tool.sandbox,
            workspace=self.workspace or self.folder,
        )

    @property
    def shortcuts(self) -> tuple[BundleIntent, ...]:
        """Intents of its INTENT.md documents."""
        return read_intents(self.intents, self.tools)

    def get(self, words: Sequence[str]) -> BundleTool:
        """A tool by its subcommand words, by its id, or by the id of an intent.

        Raises:
            NotFoundError: `bundle.no-command`, with the nearest one.
        """
        path = tuple(words)
        for tool in self.tools:
            if tool.path == path or (len(path) == 1 and tool.id == path[0]):
                return tool
        for intent in self.shortcuts:
            if path == (intent.id,) and intent.path is not None:
                return self.get(intent.path)
        from atip.model.shapes.shape import closest

        names = [" ".join(tool.path) for tool in self.tools]
        names += [intent.id for intent in self.shortcuts if intent.path is not None]
        close = closest(" ".join(path), names)
        raise NotFoundError(
            "bundle.no-command",
            f"`{self.manifest.id}` has no command `{' '.join(path)[:80]}`",
            hint=f"did you mean `{close}`?" if close else "commands: " + ", ".join(names[:12]),
        )

    def exposures(self) -> dict[str, tuple[str, str]]:
        """Variable → (secret slot, field) for every secret that SECRETS.md exposes as a variable."""
        slots: dict[str, tuple[str, str]] = {}
        for entry in self.secrets:
            for exposure in entry.get("exposures") or ():
                if (
                    isinstance(exposure, dict)
                    and exposure.get("kind") == "env"
                    and entry.get("slug")
                ):
                    slots[str(exposure.get("name"))] = (
                        str(entry["slug"]),
                        str(exposure.get("field", "value")),
                    )
        return slots
