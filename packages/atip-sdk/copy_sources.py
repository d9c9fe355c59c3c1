"""Build hook: the wheel and the sdist take the SDK's files from the project, or from the sdist they are built from."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CopySources(BuildHookInterface):  # type: ignore[type-arg]
    """Include `src/atip/sdk` as `atip_sdk`, byte code left out."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        own = os.path.join(self.root, "atip_sdk")
        shared = os.path.normpath(os.path.join(self.root, "..", "..", "src", "atip"))
        source = own if os.path.isdir(own) else os.path.join(shared, "sdk")
        for folder, _, names in os.walk(source):
            for name in sorted(names):
                if name.endswith((".py", ".typed")):
                    path = os.path.join(folder, name)
                    inside = os.path.relpath(path, source)
                    build_data["force_include"][path] = os.path.join("atip_sdk", inside)
        if source != own:
            # Not a module of the SDK: lets an sdist know its version without the project around it.
            path = os.path.join(shared, "version.py")
            build_data["force_include"][path] = os.path.join("atip_sdk", "version.py")
            build_data["force_include"][os.path.join(shared, "py.typed")] = "atip_sdk/py.typed"
