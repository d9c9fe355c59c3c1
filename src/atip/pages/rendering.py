"""Templates to pages. Everything is escaped; nothing in a template is marked safe.

Jinja2 comes with the extra `pages`. Scripts and styles are files with a digest in their names, so that a page may be
kept for ever and never meets the wrong style.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from atip.errors import AtipError
from atip.model.value import Value
from atip.pages.badges import few_badges
from atip.pages.names import root_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Environment, Template

_HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATES = os.path.join(_HERE, "templates")
ASSETS = os.path.join(_HERE, "assets")
_CUT_AT = 2000

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "worker-src 'self'; form-action 'self'; base-uri 'none'"
)
"""Content-security-policy of every page; nothing inline, nothing from elsewhere."""


class Asset(Value):
    """A file that pages load."""

    name: str
    """With the digest of its bytes: `site.0123456789.css`."""
    data: bytes


def load_assets() -> dict[str, Asset]:
    """Our own scripts and styles by their plain names."""
    found = {}
    for name in sorted(os.listdir(ASSETS)):
        with open(os.path.join(ASSETS, name), "rb") as file:
            data = file.read()
        stem, _, ending = name.rpartition(".")
        found[name] = Asset(
            name=f"{stem}.{hashlib.sha256(data).hexdigest()[:10]}.{ending}", data=data
        )
    return found


class Renderer:
    """Templates with what all pages of one site share."""

    def __init__(self, site: Mapping[str, object], assets: Mapping[str, Asset]) -> None:
        """
        Raises:
            AtipError: `pages.missing-extra`.
        """
        self._environment = _environment()
        self._environment.globals.update(
            site=site,
            asset={name: f"assets/{asset.name}" for name, asset in assets.items()},
            policy=POLICY,
        )
        self._templates: dict[str, Template] = {}

    def page(
        self, template: str, folder: str, *, root: str | None = None, **context: object
    ) -> bytes:
        """One page that lies in `folder`.

        Args:
            root: start of every link; None: the way back to the start page from `folder`.
        """
        loaded = self._templates.get(template)
        if loaded is None:
            loaded = self._templates[template] = self._environment.get_template(template)
        if root is None:
            root = root_of(folder)
        return loaded.render(root=root, here=folder, **context).encode("utf-8", "replace")


def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        from atip.pages.template_code import TemplateCode
    except ImportError as error:
        hint = 'pip install "atip-cli[pages]"'
        raise AtipError(
            "pages.missing-extra", "pages need the package Jinja2", hint=hint
        ) from error
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        auto_reload=False,
        bytecode_cache=TemplateCode(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cut"] = _cut
    environment.filters["few"] = few_badges
    return environment


def _cut(text: str, length: int = _CUT_AT) -> str:
    """A text that is too long for a page, with what is missing said; the JSON beside the page has all of it."""
    return (
        text
        if len(text) <= length
        else f"{text[:length]}… ({len(text) - length:,} more characters)"
    )


def style_digest() -> str:
    """Changes with any template, script or style."""
    state = hashlib.sha256()
    for folder in (TEMPLATES, ASSETS):
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                state.update(f"{name}\0".encode() + hashlib.sha256(file.read()).digest())
    return state.hexdigest()[:32]
