"""Small tools to search in."""

from __future__ import annotations

from atip.model.effects import Effects
from atip.model.tool import Command, Option, Tool

SAFE = Effects(destructive=False, network=False)
DANGER = Effects(destructive=True)

GIT = Tool(
    name="git",
    description="Distributed version control system",
    commands={
        "commit": Command(description="Record changes to the repository", effects=SAFE),
        "clone": Command(description="Copy a repository into a new directory"),
        "reset": Command(description="Throw away local changes", effects=DANGER),
        "stash": Command(
            description="Put changes aside",
            commands={"pop": Command(description="Bring changes back that were put aside")},
        ),
        "secret": Command(description="An internal command", hidden=True),
    },
)
GREP = Tool(name="grep", description="Print lines that match patterns", effects=SAFE)
TAR = Tool(
    name="tar",
    description="Create and extract archives",
    options=(Option(name="gzip", flags=("-z",), description="compress with gzip"),),
)
ALL = (GIT, GREP, TAR)
