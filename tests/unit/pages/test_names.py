from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from atip.pages.names import page_address, path_name, plain_url, root_of


@given(st.text(min_size=1))
def test_a_folder_has_a_tame_name(name):
    folder = path_name(name)
    assert re.fullmatch(r"[a-z0-9_+~-]+(\.[a-z0-9_+~-]+)*", folder)
    assert len(folder) <= 80 and not folder.startswith("index.")


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_names_never_share_a_folder(left, right):
    assert (path_name(left) == path_name(right)) == (left == right)
    assert path_name(left).lower() == path_name(left)


def test_plain_names_are_their_own_folders():
    assert path_name("git") == "git"
    assert path_name("apt-get") == "apt-get"
    assert path_name("python3.11") == "python3.11"
    assert path_name("Git") != path_name("git")
    assert page_address("git") == "t/git/index"
    assert page_address("git", ("remote", "add")) == "t/git/remote/add"
    assert root_of("t/git/index") == "../../"


def test_a_command_never_takes_the_file_of_another():
    names = ("index", "x", "x.html", "x.json", "index.html")
    addresses = {page_address("tool", (name,)) for name in names} | {page_address("tool")}
    assert len(addresses) == len(names) + 1
    folders = {page_address("tool", (name, "inner")).rpartition("/")[0] for name in names}
    assert not folders & {f"{address}.html" for address in addresses}


def test_links_for_people_name_the_folder():
    assert plain_url("index") == "" and plain_url("t/git/index") == "t/git/"
    assert plain_url("t/git/push") == "t/git/push.html"


def test_deep_trees_stay_within_what_file_systems_allow():
    assert len(page_address("x", ("word",) * 500)) < 200
