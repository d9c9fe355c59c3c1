"""Shared by the publishing verbs: folders of a registry's source, output and keys."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from atip.cli.context import Context
    from atip.registry.publish.build import BuildOrder


def order_of(options: argparse.Namespace, ctx: Context) -> BuildOrder:
    """Make the order of a build or a signature from the options of its verb."""
    from atip.registry.publish.build import BuildOrder, release_time
    from atip.registry.publish.contributions import DEFAULT_PLACE

    unsigned = getattr(options, "unsigned", False)
    return BuildOrder(
        folder=options.folder,
        place=options.to or os.path.join(options.folder, DEFAULT_PLACE),
        at=release_time(options.release),
        keys=None if unsigned else key_folder(options, ctx),
        judge=not getattr(options, "unsafe_skip_validation", False),
    )


def key_folder(options: argparse.Namespace, ctx: Context) -> str:
    """Folder of keys: from `--keys`, else in the user's configuration under the registry's name.

    Never inside the source, which is shared.
    """
    if options.keys:
        return str(options.keys)
    from atip.registry.publish.settings import load_publisher_settings

    name = load_publisher_settings(options.folder).name
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "registry"
    return os.path.join(ctx.app.places.config, "keys", slug)
