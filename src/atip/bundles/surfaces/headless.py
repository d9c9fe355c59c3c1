"""Headless: no user to ask. Refuses every question. Implements AIP-29 "Surface adapters"."""

from __future__ import annotations

from typing import NoReturn

from atip.bundles.surfaces.interface import PromptQuestion, cancellation


class HeadlessSurface:
    """A surface without a user."""

    name = "headless"
    can_ask = False

    def ask(self, question: PromptQuestion) -> NoReturn:
        raise cancellation(question)

    def show(self, text: str) -> None:
        return

    def open(self, url: str) -> None:
        return

    def close(self) -> None:
        return
