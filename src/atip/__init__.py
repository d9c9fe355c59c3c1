"""atip: know what a command line will do, prove it, enforce it.

The rooms, from the bottom up (imports go downward only; `tests/test_architecture.py` holds the table):

    errors      error tree, stable codes, exit codes
    model       WHAT a tool is: ATIP 0.6 as frozen values; effects; validate, lint, diff, partial view
    calls       HOW it is called: arguments → argv, argv → invocation, shell line → argvs
    system      the only doors to the OS: files, processes, network, paths, clock
    codecs      one file per format
    inference   help, man, completion text → Tool with evidence; effects from knowledge and rules
    knowledge   curated facts as data, one YAML per well-known tool
    policy      invocation + verdict + rules → allow | ask | deny, and a confinement
    trust       digests, signatures, provenance → Verdict; bytes only
    sandbox     confinement → running process
    discovery   enumerate → decide how to ask → ask inside the sandbox → Tool
    registry    local store, remote client, publishing
    search      the intent index
    bundles     AIP-29 host
    apis        MCP, OpenAPI, GraphQL, SQL sources
    execution   decide → confine → run → bounded, redacted result; audit
    crawler     fill registries from packages
    toolbox     where workflows meet
    server cli  doors for clients and people
    sdk         what a CLI author imports; depends on nothing

Everything public is re-exported here lazily: `import atip` loads nothing else.
"""

from __future__ import annotations

from atip.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.api import convert as convert
    from atip.api import diff as diff
    from atip.api import lint as lint
    from atip.api import load as load
    from atip.api import validate as validate
    from atip.apis.loading import load_api as load_api
    from atip.apis.loading import read_api_document as read_api_document
    from atip.apis.wrappers.writing import wrap_api as wrap_api
    from atip.async_toolbox import AsyncToolbox as AsyncToolbox
    from atip.bundles.entry.definition import define_cli as define_cli
    from atip.bundles.entry.definition import defineCli as defineCli
    from atip.errors import AtipError as AtipError
    from atip.errors import FormatError as FormatError
    from atip.inference.effects import infer_effects as infer_effects
    from atip.inference.help import infer_help as infer_help
    from atip.model.effects import Effects as Effects
    from atip.model.problems import Problem as Problem
    from atip.model.tool import Command as Command
    from atip.model.tool import Option as Option
    from atip.model.tool import Tool as Tool
    from atip.session import Session as Session
    from atip.session import compile_tools as compile  # noqa: F401
    from atip.toolbox import Toolbox as Toolbox

_PUBLIC = {
    # name: module that holds it
    "load": "atip.api",
    "validate": "atip.api",
    "lint": "atip.api",
    "diff": "atip.api",
    "compile": "atip.session",
    "convert": "atip.api",
    "infer_help": "atip.inference.help",
    "infer_effects": "atip.inference.effects",
    "load_api": "atip.apis.loading",
    "read_api_document": "atip.apis.loading",
    "wrap_api": "atip.apis.wrappers.writing",
    "AsyncToolbox": "atip.async_toolbox",
    "define_cli": "atip.bundles.entry.definition",
    "defineCli": "atip.bundles.entry.definition",
    "Session": "atip.session",
    "Toolbox": "atip.toolbox",
    "AtipError": "atip.errors",
    "FormatError": "atip.errors",
    "Effects": "atip.model.effects",
    "Problem": "atip.model.problems",
    "Command": "atip.model.tool",
    "Option": "atip.model.tool",
    "Tool": "atip.model.tool",
}

_RENAMED = {"compile": "compile_tools"}
"""Public names that differ from those in their module."""

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'atip' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(module), _RENAMED.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
