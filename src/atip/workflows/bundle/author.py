"""Write a bundle for a program: metadata and observations → CLI.md, TOOL.md files, validated; and SKILL.md of a bundle.

    files = draft_bundle(host, "git")

The version command is run confined like every probe. Commands to observe run under policy, as with `atip observe`. Implements AIP-29 "Authoring with SKILL.md".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from atip.bundles.documents.authoring import (
    VERSION_WORDS,
    derived_check,
    find_install,
    merge_blocks,
)
from atip.codecs import skill
from atip.codecs.climd import codec as climd
from atip.codecs.climd.write import ANY_VERSION, BundleContent, sandbox_of, write_bundle
from atip.errors import AtipError
from atip.model.value import Value
from atip.system.files import write_atomic
from atip.workflows.lookup import locate, look_up_tool
from atip.workflows.tools import find_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from atip.bundles.documents.bundle import Bundle
    from atip.codecs.climd.manifest import VersionCheck
    from atip.execution.consent import ConsentPrompt
    from atip.model.problems import Problem
    from atip.model.tool import Tool
    from atip.workflows.host import Host


class BundleDraft(Value):
    """Documents of a new bundle, with notes for the author."""

    files: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def draft_bundle(
    host: Host,
    program: str,
    *,
    observe: Sequence[Sequence[str]] = (),
    ask: ConsentPrompt | None = None,
    note: Callable[[str], None] = lambda _text: None,
) -> BundleDraft:
    """Draft the documents of a bundle from all available metadata.

    Args:
        observe: argvs to run confined and traced; the sandbox grants what they access.

    Raises:
        NotFoundError: no such program, or no metadata for it.
    """
    path = locate(program, real=False)
    name = os.path.basename(path)
    tool = load_tool(host, name)
    check, version, notes = version_of(path, name)
    blocks = []
    for argv in observe:
        note(f"observing {' '.join(argv)}")
        blocks.append(_observe(host, argv, ask))
    content = BundleContent(
        tool=tool,
        install=tuple(find_install(path, home=host.places.home)),
        version=version,
        version_cmd=check.cmd if check else "",
        version_parse=check.parse if check else ANY_VERSION,
        sandbox=sandbox_for(tool, blocks),
        intents=True,
        first=well_known(name),
    )
    files = write_bundle(content)
    decoded = climd.decode(files, strict=True)
    if not any(entry.get("method") == "download" for entry in content.install):
        notes.append("no download fallback: add its address and SHA-256 yourself")
    return BundleDraft(files=files, problems=decoded.problems, notes=tuple(notes))


def load_tool(host: Host, name: str) -> Tool:
    """Metadata of a tool: from the store with curated knowledge, from knowledge alone, else inferred now, confined."""
    from atip.workflows.scan.infer import infer_tool

    return find_tool(host, name) or look_up_tool(host.places, name) or infer_tool(host, name).tool


def well_known(name: str) -> tuple[tuple[str, ...], ...]:
    """Commands of a tool that curated knowledge describes."""
    from atip.knowledge.reading import load

    tool = load(name)
    return tuple(path for path, _ in tool.walk()) if tool is not None else ()


def sandbox_for(tool: Tool, blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sandbox as observed; else as curated knowledge states; else as its effects imply."""
    if blocks:
        return merge_blocks(blocks)
    declared = tool.own.get("sandbox")
    if isinstance(declared, dict):
        block = merge_blocks([declared])
        block["fs"]["read"] = _to_bundle_notation(block["fs"].get("read", ()))
        block["fs"]["write"] = _to_bundle_notation(block["fs"].get("write", ()))
        return block
    return sandbox_of(tool)


def _to_bundle_notation(entries: Sequence[str]) -> list[str]:
    """Convert `**/**`, our notation for the workspace, to that of bundles."""
    return list(
        dict.fromkeys("./**" if entry == "**/**" else entry for entry in ["./**", *entries])
    )


def version_of(path: str, name: str) -> tuple[VersionCheck | None, str, list[str]]:
    """A version check that matches the program's real output, and the version."""
    from atip.sandbox.probes.probe import ProbeSandbox

    real = os.path.realpath(path)
    with ProbeSandbox(visible=[path, real], jobs=1) as box:
        for words in VERSION_WORDS:
            answer = box.run([real, *words])
            if answer.exit_code != 0:
                continue
            output = (answer.stdout + b"\n" + answer.stderr).decode("utf-8", "replace")
            check = derived_check(name, words, output)
            if check is not None:
                from atip.bundles.versions import judge_version

                return check, judge_version(check, output, 0).printed, []
    return None, "", [f"`{name}` does not print its version; write `version_check` yourself"]


def _observe(host: Host, argv: Sequence[str], ask: ConsentPrompt | None) -> Mapping[str, Any]:
    from atip.workflows.proof.observe import observe_argv

    return dict(observe_argv(host, list(argv), ask=ask, real=True).sandbox)


def skill_of(bundle: Bundle, *, is_ready: bool, next_step: str = "") -> str:
    """SKILL.md of a bundle: how to use it, its prerequisites, and whether they are met."""
    files = {}
    for path, _digest in bundle.digests:
        with open(os.path.join(bundle.folder, path), "rb") as file:
            files[path] = file.read(1_000_000)
    tool = climd.decode(files, origin=bundle.folder).tool
    text = str(skill.encode(tool).data)
    head, mark, body = text.partition("\n---\n")
    if not mark:
        raise AtipError("bundle.skill", "the skill has no front matter")
    state = "ready on this machine" if is_ready else f"not ready here: {next_step}"
    needs = (
        f"\nmetadata:\n  requires-cli: {bundle.key}\n  requires-version: "
        f'"{bundle.manifest.bin} {bundle.manifest.version_check.range}"'
    )
    prerequisite = (
        f"\n## Prerequisite\n\nThe bundle `{bundle.key}` ({bundle.manifest.bin} "
        f"{bundle.manifest.version_check.range}): {state}.\n"
        f"Check with `atip bundle status {bundle.manifest.id}`; run its commands with "
        f"`atip bundle run {bundle.manifest.id} COMMAND key=value`.\n"
    )
    return head + needs + mark + body.rstrip("\n") + "\n" + prerequisite


def write_entry(bundle: Bundle, language: str, folder: str) -> list[str]:
    """Write `entry.py`, or `entry.ts` with `define-cli.ts`; returns the paths.

    Raises:
        AtipError: `bundle.entry-exists` before anything is written.
    """
    from atip.bundles.entry import python, typescript

    if language == "python":
        files = {python.ENTRY: python.entry_skeleton(bundle)}
    else:
        files = {
            typescript.MODULE: typescript.render_module(),
            typescript.ENTRY: typescript.entry_skeleton(bundle),
        }
    paths = {os.path.join(folder, name): text for name, text in files.items()}
    for path in paths:
        if os.path.lexists(path):
            raise AtipError(
                "bundle.entry-exists", f"`{path}` already exists", hint="choose another `--out`"
            )
    os.makedirs(folder, exist_ok=True)
    for path, text in paths.items():
        write_atomic(path, text.encode(), mode=0o644)
    return list(paths)
