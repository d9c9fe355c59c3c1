"""Recipes are readable, name samples that exist, and every explanation has a reason."""

from __future__ import annotations

import pathlib

import pytest

from atip.crawler.proof.campaign import MADE_BY_PROGRAMS
from atip.knowledge.reading import load
from atip.policy.confinement.observed import ObservedEffects
from atip.proving.cases import Case, case_from
from atip.proving.generate import CaseBudget, Generator
from atip.proving.operands import load_environment, load_recipes, parse_recipe
from atip.proving.samples import make_samples
from atip.proving.tally import load_exemptions
from atip.proving.trial import Trial


def test_a_recipe_says_where_it_starts_and_what_it_reads() -> None:
    recipe = parse_recipe("@repo -n 'a b' file < other.txt")
    assert (recipe.folder, recipe.words, recipe.stdin) == (
        "repo",
        ("-n", "a b", "file"),
        "other.txt",
    )


def test_recipes_read_samples_that_exist(tmp_path: pathlib.Path) -> None:
    desk = pathlib.Path(make_samples(str(tmp_path / "desk")))
    for name, recipes in load_recipes().items():
        for recipe in recipes:
            assert (desk / recipe.folder).is_dir(), name
            if recipe.stdin and not recipe.stdin.startswith("/"):
                assert (desk / recipe.folder / recipe.stdin).exists(), name


def test_samples_are_the_same_each_time(tmp_path: pathlib.Path) -> None:
    folders = [pathlib.Path(make_samples(str(tmp_path / name))) for name in ("a", "b")]
    names = [
        {str(path.relative_to(folder)) for path in folder.rglob("*") if ".git/" not in str(path)}
        for folder in folders
    ]
    assert names[0] == names[1]
    for name in names[0]:
        path = folders[0] / name
        if path.is_file() and name not in MADE_BY_PROGRAMS:
            assert path.read_bytes() == (folders[1] / name).read_bytes(), name


@pytest.mark.parametrize("one", load_exemptions(), ids=lambda one: f"{one.fact}-{one.tools[0]}")
def test_explanations_name_tools_and_reasons(one) -> None:
    assert one.tools
    assert len(one.why) > 10
    assert any(load(tool) for tool in one.tools)


def test_a_check_for_a_newer_version_is_switched_off_in_every_case() -> None:
    """In the base, with a flag, and when the case is played again."""
    tool = load("terraform")
    assert tool is not None
    quiet = {"CHECKPOINT_DISABLE": "1"}
    seen: list[Case] = []

    def play(case: Case) -> Trial:
        seen.append(case)
        return Trial(argv=case.argv, exit_code=0, timed_out=False, seen=ObservedEffects())

    found = Generator("terraform", tool, tool, "/", play, CaseBudget(commands=4)).generate()
    assert any(case.flag for case in seen)
    assert all(case.setup.env == quiet for case in seen)
    assert all(case_from(one.case.to_json()).setup.env == quiet for one in found)
    assert load_environment("cp") == {}
