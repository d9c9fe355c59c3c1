"""Web: a small page on this machine's loopback, one form per question. Implements AIP-29 "Surface adapters".

The page has no scripts and no foreign content. Its address holds a secret, every form a token that is used once, and
requests of other hosts or origins are refused (`system.network.loopback`), so that no other page can answer for the user.
"""

from __future__ import annotations

import hmac
import html
import secrets
from typing import TYPE_CHECKING

from atip.bundles.surfaces.interface import PromptQuestion, cancellation, settle
from atip.system.clock import monotonic
from atip.system.network.loopback import Loopback

if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.system.network.loopback import LocalRequest

WAIT_S = 600.0
_PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>atip setup</title>"
    "<style>body{{font:16px sans-serif;max-width:40em;margin:3em auto;padding:0 1em}}"
    "input,select,button{{font:inherit;margin:.5em 0;padding:.3em}}</style>{body}</html>"
)


class WebSurface:
    """A user with a browser on this machine."""

    name = "web"
    can_ask = True

    def __init__(self, tell: Callable[[str], None], *, wait_s: float = WAIT_S) -> None:
        """
        Args:
            tell: receives the address of the page once, for the user to open.
        """
        self._server = Loopback()
        self._key = secrets.token_urlsafe(32)
        self._wait_s = wait_s
        self._lines: list[str] = []
        tell(self.url)

    @property
    def url(self) -> str:
        return f"{self._server.origin}/setup/{self._key}"

    def ask(self, question: PromptQuestion) -> str:
        """Show the form and wait for its answer.

        Raises:
            AtipError: `setup.cancelled` after the timeout or when the user cancels.
        """
        token = secrets.token_urlsafe(32)
        deadline = monotonic() + self._wait_s
        wrong = False
        while request := self._server.next(deadline):
            if not _same(request.path, f"/setup/{self._key}"):
                self._server.answer(404, "not found")
            elif request.method == "GET":
                self._server.answer(200, self._form(question, token, wrong), html=True)
            elif request.method != "POST" or not _same(request.form.get("token", ""), token):
                # SECURITY: a form that is not ours, or an old one, is refused.
                self._server.answer(403, "forbidden")
            elif "cancel" in request.form:
                self._server.answer(
                    200, _page("<p>Cancelled. You can close this page.</p>"), html=True
                )
                break
            else:
                value = settle(question, _form_answer(question, request))
                if value is not None:
                    self._lines.clear()
                    self._server.answer(303, "", location=f"/setup/{self._key}")
                    return value
                wrong, token = True, secrets.token_urlsafe(32)
                self._server.answer(200, self._form(question, token, wrong), html=True)
        raise cancellation(question)

    def show(self, text: str) -> None:
        """A line above the next form."""
        self._lines.append(html.escape(text))

    def open(self, url: str) -> None:
        """A link above the next form."""
        escaped = html.escape(url, quote=True)
        self._lines.append(
            f'<a href="{escaped}" rel="noreferrer noopener" target="_blank">{escaped}</a>'
        )

    def close(self) -> None:
        """Answer one more request with a final page, and stop."""
        request = self._server.next(monotonic() + 1.0)
        if request is not None:
            text = "<p>All done. You can close this page.</p>"
            if _same(request.path, f"/setup/{self._key}"):
                self._server.answer(200, _page(text), html=True)
            else:
                self._server.answer(404, "not found")
        self._server.close()

    def _form(self, question: PromptQuestion, token: str, wrong: bool) -> str:
        lines = "".join(f"<p>{line}</p>" for line in self._lines)
        note = "<p><b>Not a valid answer; try again.</b></p>" if wrong else ""
        about = f"<p>{html.escape(question.description)}</p>" if question.description else ""
        return _page(
            f"<h1>Setup</h1>{lines}{note}{about}<form method=post>"
            f'<input type=hidden name=token value="{token}">'
            f"<label>{html.escape(question.text)}<br>{_field(question)}</label><br>"
            "<button>Continue</button> <button name=cancel value=1>Cancel</button></form>"
        )


def _field(question: PromptQuestion) -> str:
    default = html.escape(question.default or "", quote=True)
    if question.type == "select":
        options = "".join(
            f'<option value="{html.escape(value, quote=True)}"'
            f"{' selected' if value == question.default else ''}>{html.escape(label)}</option>"
            for value, label in question.options
        )
        return f"<select name=answer>{options}</select>"
    if question.type == "boolean":
        checked = " checked" if question.default in ("true", "yes") else ""
        return f"<input type=checkbox name=answer value=true{checked}>"
    if question.type == "secret":
        return "<input type=password name=answer autocomplete=off autofocus>"
    return f'<input name=answer value="{default}" autofocus>'


def _form_answer(question: PromptQuestion, request: LocalRequest) -> str:
    if question.type == "boolean":
        return request.form.get("answer", "false")
    return request.form.get("answer", "")


def _page(body: str) -> str:
    return _PAGE.format(body=body)


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left.encode("utf-8", "surrogatepass"), right.encode())
