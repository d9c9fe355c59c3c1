"""Problem: one finding in a document, with its path, a stable code and a severity."""

from __future__ import annotations

from atip.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Severity = Literal["error", "warning", "info"]


def render_path(parts: tuple[str | int, ...]) -> str:
    """`("commands", "pr create", "options", 0)` → `$.commands["pr create"].options[0]`."""
    text = "$"
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part.isidentifier() and part.isascii():
            text += f".{part}"
        else:
            quoted = part.replace("\\", "\\\\").replace('"', '\\"')
            text += f'["{quoted}"]'
    return text


class Problem(Value):
    """A problem, its place and its severity."""

    path: str
    """JSON path, `$` for the document itself."""
    code: str
    """Stable slug, such as `format.missing-field`."""
    message: str
    severity: Severity = "error"
    hint: str = ""
    """Next step for the user; empty when the message is enough."""

    def to_json(self) -> dict[str, object]:
        """JSON-ready form, used by `--json` and by `FormatError.details`."""
        document: dict[str, object] = {
            "path": self.path,
            "code": self.code,
            "message": self.message,
            "severity": self.severity,
        }
        if self.hint:
            document["hint"] = self.hint
        return document
