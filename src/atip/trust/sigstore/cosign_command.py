"""The command line that signs a file with the installed `cosign`; its flags differ by version (A27). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def sign_command(help_text: str, path: str) -> Sequence[str]:
    """argv for signing `path`: one bundle where this cosign can write it, else signature and certificate.

    `help_text` is what `cosign sign-blob --help` printed.
    """
    if "--bundle" in help_text:
        return ("cosign", "sign-blob", "--yes", "--bundle", f"{path}.bundle", path)
    return (
        "cosign",
        "sign-blob",
        "--yes",
        "--output-signature",
        f"{path}.sig",
        "--output-certificate",
        f"{path}.crt",
        path,
    )
