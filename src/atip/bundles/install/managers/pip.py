"""`pip`: a Python package, into a virtual environment of ours, from wheels only: none of its code runs during the install.

`user: true` is pip's own user scheme, which some systems refuse.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from atip.bundles.install.interface import Action, InstallPlan, get_manager, package_of

if TYPE_CHECKING:
    from atip.bundles.install.interface import Site
    from atip.codecs.climd.manifest import InstallEntry

_SYSTEM = "/usr/bin/python3"
_QUIET = ("--disable-pip-version-check", "--no-input", "--only-binary", ":all:")


def plan(entry: InstallEntry, site: Site) -> InstallPlan:
    package = package_of(entry, forbidden="/@")
    # The system's Python is visible in every sandbox; the folder of another one has to be made visible.
    python = (
        _SYSTEM if os.access(_SYSTEM, os.X_OK) else get_manager(site, "python3", "install Python 3")
    )
    tree = os.path.dirname(os.path.dirname(os.path.realpath(python)))
    visible = () if tree in ("/usr", "/") else (tree,)
    note = "wheels only: a package that needs a build is refused"
    if entry.user:
        argv = (python, "-m", "pip", "install", "--user", *_QUIET, "--", package)
        local = os.path.join(site.home, ".local")
        return InstallPlan(
            method="pip",
            actions=(Action(kind="run", argv=argv),),
            binaries=(os.path.join(local, "bin", site.bin),),
            visible=(os.path.join(local, "lib"), *visible),
            notes=(note,),
        )
    folder = os.path.join(site.prefix, "venv")
    venv_python = os.path.join(folder, "bin", "python")
    make = Action(kind="run", argv=(python, "-m", "venv", folder))
    fill = Action(kind="run", argv=(venv_python, "-m", "pip", "install", *_QUIET, "--", package))
    return InstallPlan(
        method="pip",
        actions=(make, fill),
        binaries=(os.path.join(folder, "bin", site.bin),),
        visible=(site.prefix, *visible),
        notes=(note,),
    )
