"""Output of the public bridge, compared where the text fixes the answer; each difference has its reason."""

from __future__ import annotations

import copy
import json

import pytest

import atip
from atip.session import compile_tools, generate_safety_prompt
from tests.shared import shared

INPUTS = {
    "minimal": "examples/minimal.json",
    "diff-complete": "diff/inputs/base/complete.json",
    "legacy": "diff/inputs/legacy/legacy-format.json",
    "shim": "registry/valid-shim.json",
}
PROVIDERS = [("openai", False), ("openai", True), ("gemini", False), ("anthropic", False)]


def expected(reference, provider, tool):
    """The reference's output with the decided differences applied, and nothing else."""
    made = copy.deepcopy(reference)
    for declaration in made:
        inner = declaration.get("function", declaration)
        # A11: the bare tool is its name alone
        inner["name"] = inner["name"].rstrip("_")
        # A28: a period before the flags where one is missing
        inner["description"] = inner["description"].replace(" [", ". [")
        field = "input_schema" if provider == "anthropic" else "parameters"
        schema = inner[field]
        # §3.2: global options are valid for every command and reach the model
        for option in tool.get("globalOptions", []):
            text = f"{option['description']} (file path)"
            strict = inner.get("strict")
            kind = ["string", "null"] if strict else "string"
            schema["properties"][option["name"]] = {"type": kind, "description": text}
            if strict:
                schema["required"].append(option["name"])
        for value in schema["properties"].values():
            # A32: null joins the choices of an optional parameter
            if isinstance(value["type"], list) and "enum" in value:
                value["enum"].append(None)
        if provider == "gemini" and not schema["properties"]:
            del inner[field]  # an object without properties is refused by the provider
    return made


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(("provider", "strict"), PROVIDERS)
def test_agrees_with_the_reference_but_for_decided_differences(name, provider, strict):
    folder = shared("vectors/atip")
    reference = json.loads((folder / "bridge" / "reference-output" / f"{name}.json").read_text())
    document = json.loads((folder / INPUTS[name]).read_text())
    key = "openai-strict" if strict else provider
    wanted = expected(reference[key]["tools"], provider, document)
    assert compile_tools([atip.load(document)], provider, strict=strict) == wanted


@pytest.mark.parametrize("name", ["minimal", "legacy"])
def test_a_tool_without_dangers_has_the_same_empty_safety_prompt(name):
    folder = shared("vectors/atip")
    reference = json.loads((folder / "bridge" / "reference-output" / f"{name}.json").read_text())
    assert (
        generate_safety_prompt([atip.load(str(folder / INPUTS[name]))]) == reference["safetyPrompt"]
    )


def test_the_safety_prompt_has_the_reference_s_sections_without_descriptions():
    folder = shared("vectors/atip")
    reference = json.loads((folder / "bridge/reference-output/diff-complete.json").read_text())
    ours = generate_safety_prompt([atip.load(str(folder / INPUTS["diff-complete"]))])
    bare = [line.partition("`: ")[0] + ("`" if "`: " in line else "") for line in reference["safetyPrompt"].splitlines()]  # fmt: skip
    assert ours.splitlines()[: len(bare)] == bare


def example(number):
    text = (shared("specs") / "atip-0.6.md").read_text()
    section = text[text.index(f"### {number} ") :]
    start = section.index("```json\n") + 8
    return json.loads(section[start : section.index("```", start)])


@pytest.mark.proves("ATIP6-14-02")
def test_the_text_s_own_example_compiles_to_the_text_s_own_output():
    """But for A32 (optional parameters are nullable) and descriptions that the input does not have."""
    made = {
        tool["function"]["name"]: tool
        for tool in compile_tools([atip.load(example("14.1"))], "openai", strict=True)
    }
    for wanted in example("14.2"):
        function = wanted["function"]
        ours = made[function["name"]]["function"]
        state = function["parameters"]["properties"].get("state")
        if state is not None:
            state.update(type=["string", "null"], enum=[*state["enum"], None])
        for schema in (function["parameters"], ours["parameters"]):
            for value in schema["properties"].values():
                value.pop("description", None)
        assert ours == function


@pytest.mark.parametrize("name", ["argv-injection", "names", "tool-poisoning", "terminal"])
def test_security_sets_are_all_right(name):
    import pathlib
    import subprocess
    import sys

    program = pathlib.Path(__file__).parents[2] / "benchmarks" / "adapters" / "security.py"
    folder = shared(f"corpora/security/{name}")
    done = subprocess.run(
        [sys.executable, str(program), name, str(folder)], capture_output=True, text=True
    )
    right, total = done.stdout.splitlines()[-1].split("/")
    assert (done.returncode, right) == (0, total), done.stdout
