"""atip: know what a command line will do, prove it, enforce it.

The packages, from the bottom up (imports go downward only; `tests/test_architecture.py` holds the table):

    errors      error tree, stable codes, exit codes
    model       WHAT a tool is: ATIP 0.6 as frozen values; effects; validate, lint, diff, partial view
    calls       HOW it is called: arguments → argv, argv → invocation, shell line → argvs
    system      the only access to the OS: files, processes, network, paths, clock
    codecs      one file per format
    inference   help, man, completion text → Tool with evidence; effects from knowledge and rules
    knowledge   curated facts as data, one YAML per well-known tool
    policy      invocation + verdict + rules → allow | confine | ask | deny, and a confinement
    trust       digests, signatures, provenance → Verdict; bytes only
    sandbox     confinement → running process
    discovery   enumerate → decide how to ask → ask inside the sandbox → Tool
    registry    local store, remote client, publishing
    search      the intent index
    bundles     AIP-29 host
    apis        MCP, OpenAPI, GraphQL, SQL sources
    execution   decide → confine → run → bounded, redacted result; audit
    crawler     fill registries from packages
    pages       the catalogue of a registry as static pages, and the pages of `atip ui`
    workflows   what Toolbox does, in ranks: lookup, judge, run, scan, call, search, verify, sync, cmp, api, bundle
    toolbox     a façade over the workflows
    server cli  entry points for clients and people
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
    from atip.model.verdict import TrustLevel as TrustLevel
    from atip.session import Session as Session
    from atip.session import compile_tools as compile  # noqa: F401
    from atip.session import compile_tools as compile_tools
    from atip.session import generate_safety_prompt as generate_safety_prompt
    from atip.session import handle_tool_result as handle_tool_result
    from atip.session import parse_tool_call as parse_tool_call
    from atip.session import to_anthropic as to_anthropic
    from atip.session import to_gemini as to_gemini
    from atip.session import to_openai as to_openai
    from atip.toolbox import Toolbox as Toolbox
    from atip.trust.digests import verify_binary_integrity as verify_binary_integrity
    from atip.trust.expected import create_trust_policy as create_trust_policy
    from atip.trust.procedure import VerificationResults as VerificationResults
    from atip.trust.procedure import evaluate_trust_level as evaluate_trust_level
    from atip.trust.provenance import fetch_and_verify_provenance as fetch_and_verify_provenance
    from atip.trust.signatures import verify_cosign_signature as verify_cosign_signature
    from atip.trust.signatures import verify_shim_signature as verify_shim_signature
    from atip.validator import create_result_filter as create_result_filter
    from atip.validator import create_validator as create_validator

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
    # Appendix A of ATIP 0.6; each also in the spelling of the text (`toOpenAI`)
    "to_openai": "atip.session",
    "to_gemini": "atip.session",
    "to_anthropic": "atip.session",
    "compile_tools": "atip.session",
    "generate_safety_prompt": "atip.session",
    "create_validator": "atip.validator",
    "create_result_filter": "atip.validator",
    "handle_tool_result": "atip.session",
    "parse_tool_call": "atip.session",
    "verify_binary_integrity": "atip.trust.digests",
    "verify_cosign_signature": "atip.trust.signatures",
    "fetch_and_verify_provenance": "atip.trust.provenance",
    "verify_shim_signature": "atip.trust.signatures",
    "evaluate_trust_level": "atip.trust.procedure",
    "create_trust_policy": "atip.trust.expected",
    "VerificationResults": "atip.trust.procedure",
    "TrustLevel": "atip.model.verdict",
}

_APPENDIX = {
    # spelling of Appendix A: ours
    "toOpenAI": "to_openai",
    "toGemini": "to_gemini",
    "toAnthropic": "to_anthropic",
    "compileTools": "compile_tools",
    "generateSafetyPrompt": "generate_safety_prompt",
    "createValidator": "create_validator",
    "createResultFilter": "create_result_filter",
    "handleToolResult": "handle_tool_result",
    "parseToolCall": "parse_tool_call",
    "verifyBinaryIntegrity": "verify_binary_integrity",
    "verifyCosignSignature": "verify_cosign_signature",
    "fetchAndVerifyProvenance": "fetch_and_verify_provenance",
    "verifyShimSignature": "verify_shim_signature",
    "evaluateTrustLevel": "evaluate_trust_level",
    "createTrustPolicy": "create_trust_policy",
}

_RENAMED = {"compile": "compile_tools"}
"""Public names that differ from those in their module."""

__all__ = ["__version__", *_PUBLIC, *_APPENDIX]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    ours = _APPENDIX.get(name, name)
    module = _PUBLIC.get(ours)
    if module is None:
        raise AttributeError(f"module 'atip' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(module), _RENAMED.get(ours, ours))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
