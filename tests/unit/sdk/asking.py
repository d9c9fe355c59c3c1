"""Asking a program inside this process, as a shell would."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest


def ask(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Any, run: Any, *words: str, name: str = "tool"
) -> dict[str, Any]:
    """The document that a program prints for a command line; it must end with status 0."""
    monkeypatch.setattr(sys, "argv", [name, *words])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 0
    out, _err = capsysbinary.readouterr()
    document: dict[str, Any] = json.loads(out.decode("utf-8"))
    return document
