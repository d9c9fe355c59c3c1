"""Run the setup of a bundle: steps in order, each once, resumable at any point.

    (1) what is pending? (`ledger.py`); nothing: this phase is skipped
    (2) on a surface that cannot ask, steps that need an answer are refused with `setup_required` and the list
    (3) `skip_if` may complete a step
    (4) the step by its kind: a command confined, a question, an OAuth flow, an external page
    (5) the value goes where `persist` says, then the ledger says that the step is done – in this order
    (6) a failure stops the pipeline with `setup_failed` and the step's id

Implements AIP-29 "Setup", "Lifecycle integration"; RESOLUTIONS P6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atip.bundles.login.callback import MAX_WAIT_S, LoginCallback
from atip.bundles.surfaces.interface import PromptQuestion, parse_options, settle
from atip.errors import AtipError
from atip.model.text.environment import is_never_passed, is_variable_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.bundles.documents.bundle import Bundle
    from atip.bundles.ledger import SetupLedger
    from atip.bundles.login.oauth import OAuth
    from atip.bundles.login.secrets import SecretStore
    from atip.bundles.spawning import CommandOutput, CommandSpawner
    from atip.bundles.surfaces.interface import Surface
    from atip.codecs.climd.manifest import BundleStep, CheckCommand
    from atip.model.permissions.confinement import Confinement

KINDS = ("cmd", "prompt", "oauth", "external")
MAX_STEP_S = 900.0


class BundleSetup:
    """The setup of one bundle for one workspace and user."""

    def __init__(
        self,
        bundle: Bundle,
        *,
        ledger: SetupLedger,
        secrets: SecretStore,
        spawner: CommandSpawner,
        surface: Surface,
        confinement: Confinement,
        oauth: OAuth | None = None,
        answers: Mapping[str, str] | None = None,
        record: Callable[[Mapping[str, Any]], object] = lambda _record: None,
    ) -> None:
        """
        Args:
            answers: values for `prompt` and `external` steps by id, so that no question is needed.
            record: writes to the audit; ids and events only, never values.
        """
        self.bundle, self.ledger, self.secrets = bundle, ledger, secrets
        self.spawner, self.surface, self.confinement = spawner, surface, confinement
        self._oauth = oauth
        self._answers = dict(answers or {})
        self._record = record

    def pending(self) -> list[BundleStep]:
        """(1) Steps that are not complete, in order."""
        return self.ledger.pending(self.bundle.manifest.setup)

    def run(self) -> list[str]:
        """Complete everything that is pending; returns the ids of the steps that ran or were skipped.

        Raises:
            AtipError: `setup_required`, `setup_failed`.
        """
        pending = self.pending()
        self._refuse_unattended(pending)  # (2)
        for step in pending:
            try:
                self._step(step)
            except AtipError as error:
                self.ledger.record(step, "failed", reason=error.code)
                self._audit(step, "failed")
                raise self._step_error(step, error) from error  # (6)
        return [step.id for step in pending]

    def _refuse_unattended(self, pending: Sequence[BundleStep]) -> None:
        if self.surface.can_ask:
            return
        needing = [step for step in pending if self._needs_person(step)]
        if needing:
            raise setup_required(self.bundle, pending)

    def _needs_person(self, step: BundleStep) -> bool:
        if step.id in self._answers:
            return False
        return step.kind in ("prompt", "oauth", "external") or step.interactive

    def _step(self, step: BundleStep) -> None:
        self.ledger.record(step, "started")
        if step.skip_if is not None and self._holds(step.skip_if):  # (3)
            self.ledger.record(step, "skipped")
            self._audit(step, "skipped")
            return
        if step.description and step.kind != "prompt":
            self.surface.show(step.description)
        value = self._value(step)  # (4)
        if value is not None:
            self._persist(step, value)  # (5)
        self.ledger.record(step, "done")
        self._audit(step, "done")

    def _value(self, step: BundleStep) -> str | None:
        if step.kind == "cmd":
            return self._command(step).stdout.strip()
        if step.kind == "prompt":
            return self._prompt(step)
        if step.kind == "oauth":
            if self._oauth is None:
                raise AtipError("oauth.unavailable", "this surface cannot run an OAuth flow")
            self._oauth.obtain(self.bundle, step.secret_slug, self.surface)
            return None
        if step.kind == "external":
            return self._external(step)
        raise AtipError("setup.kind", f"unknown step kind `{step.kind[:40]}`")

    def _command(self, step: BundleStep) -> CommandOutput:
        confinement = self.confinement.replace(tty=self.confinement.tty or step.interactive)
        timeout_s = min(step.timeout_s, MAX_STEP_S)
        output = self.spawner.run(
            step.cmd, confinement, timeout_s=timeout_s, values=self._step_values(), cwd=None,
            attended=step.interactive,
        )  # fmt: skip
        if output.exit_code != 0:
            from atip.bundles.spawning import explain_failure

            raise AtipError("setup.command", f"`{step.cmd[:80]}` {explain_failure(output)}")
        return output

    def _prompt(self, step: BundleStep) -> str:
        options = tuple((value, value) for value in step.options)
        if step.options_cmd is not None:
            output = self.spawner.run(
                step.options_cmd, self.confinement, timeout_s=30.0, values=self._step_values()
            )
            options = parse_options(output.stdout.splitlines()) if output.exit_code == 0 else ()
        if step.type == "select" and not options:
            raise AtipError("setup.options", f"step `{step.id}` has no options to choose from")
        question = PromptQuestion(
            id=step.id,
            text=step.prompt,
            type=step.type,
            description=step.description,
            default=step.default,
            options=options,
        )
        if step.id in self._answers:
            answer = settle(question, self._answers[step.id])
            if answer is None:
                raise AtipError("setup.answer", f"the answer for `{step.id}` is not valid")
            return answer
        return self.surface.ask(question)

    def _external(self, step: BundleStep) -> str | None:
        if step.id in self._answers:
            return self._answers[step.id]
        from urllib.parse import quote

        if step.callback_param is None:
            self.surface.open(self._address(step.url, {}))
            question = PromptQuestion(id=step.id, text="done?", type="boolean", default="yes")
            if self.surface.ask(question) != "true":
                raise AtipError("setup.cancelled", f"step `{step.id}` was not confirmed as done")
            return None
        with LoginCallback() as callback:
            places = {"callback_url": quote(callback.url, safe=""), "state": callback.state}
            url = self._address(step.url, places)
            if callback.state not in url and places["callback_url"] not in url:
                joint = "&" if "?" in url else "?"
                url += f"{joint}redirect_uri={places['callback_url']}&state={callback.state}"
            self.surface.open(url)
            values = callback.wait(min(step.timeout_s, MAX_WAIT_S))
        value = values.get(step.callback_param)
        if value is None:
            raise AtipError(
                "setup.callback", f"the callback has no parameter `{step.callback_param}`"
            )
        return value

    def _address(self, url: str, more: Mapping[str, str]) -> str:
        """The page with values of earlier steps in it, encoded."""
        from urllib.parse import quote

        for name, value in {**more, **self._step_values(encode=quote)}.items():
            url = url.replace(f"${{{name}}}", value)
        if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
            # SECURITY: other schemes make a browser or the system run something.
            raise AtipError("setup.url", f"`{url[:120]}` is not an https address")
        return url

    def _step_values(self, encode: Callable[[str], str] = str) -> dict[str, str]:
        """Values of completed steps as `input.ID`."""
        values: dict[str, str] = {}
        for step in self.bundle.manifest.setup:
            value = self.secrets.get(self.bundle.key, f"setup:{step.id}")
            if value is not None:
                values[f"input.{step.id}"] = encode(value)
        return values

    def _persist(self, step: BundleStep, value: str) -> None:
        self.secrets.put(self.bundle.key, f"setup:{step.id}", value)
        persist = step.persist
        if persist is None:
            return
        if persist.env is not None:
            # SECURITY: a manifest must not set a variable that changes what runs.
            if not is_variable_name(persist.env) or is_never_passed(persist.env):
                raise AtipError(
                    "setup.variable", f"a bundle may not set the variable `{persist.env[:60]}`"
                )
            self.secrets.put(self.bundle.key, f"env:{persist.env}", value)
        elif persist.secret_slug is not None:
            self.secrets.put(self.bundle.key, persist.secret_slug, value)
        elif persist.cmd is not None:
            values = {**self._step_values(), "value": value}
            output = self.spawner.run(persist.cmd, self.confinement, timeout_s=60.0, values=values)
            if output.exit_code != 0:
                from atip.bundles.spawning import explain_failure

                raise AtipError(
                    "setup.persist",
                    f"saving the value failed: `{persist.cmd[:80]}` {explain_failure(output)}",
                )

    def _holds(self, check: CheckCommand) -> bool:
        output = self.spawner.run(
            check.cmd,
            self.confinement,
            timeout_s=min(check.timeout_s, 60.0),
            values=self._step_values(),
        )
        return output.exit_code == check.exit_code

    def _audit(self, step: BundleStep, event: str) -> None:
        self._record({"event": "setup", "bundle": self.bundle.key, "step": step.id, "state": event})

    def _step_error(self, step: BundleStep, error: AtipError) -> AtipError:
        return AtipError(
            "setup_failed",
            f"setup of `{self.bundle.key}` failed at step `{step.id}`: {error.message}",
            hint=error.hint or "run `atip bundle setup` again: finished steps are not repeated",
            details={"bundle": self.bundle.key, "step": step.id, "reason": error.code},
        )


def setup_required(bundle: Bundle, pending: Sequence[BundleStep]) -> AtipError:
    """The error of the specification, with the pending steps."""
    return AtipError(
        "setup_required",
        f"`{bundle.key}` has to be set up first: {', '.join(step.id for step in pending)}",
        hint=f"run `atip bundle setup {bundle.folder}` in a terminal, or `--answer ID=VALUE`",
        details={
            "bundle": bundle.key,
            "pending": [
                {
                    "id": step.id,
                    "kind": step.kind,
                    "description": step.description,
                    **({"prompt": step.prompt, "type": step.type} if step.kind == "prompt" else {}),
                    **({"url": step.url} if step.kind == "external" else {}),
                }
                for step in pending
            ],
        },
    )
