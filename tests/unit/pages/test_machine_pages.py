"""The pages of this machine, asked for one by one."""

from __future__ import annotations

import json

from atip.pages.machine.pages import MachinePages
from atip.system.network.page_server import PageRequest


class OneTool:
    """A machine that knows `rm` by name, its effects not read yet."""

    name = "This machine"

    def __init__(self, *names):
        self._names = names

    def tools(self):
        return [
            {"address": f"t/{name}/index", "name": name, "text": "Remove files", "source": ""}
            for name in self._names
        ]


def ask(machine, path):
    request = PageRequest(method="GET", path=path, query={}, form={})
    return MachinePages(machine).answer(request)


def test_a_search_result_claims_no_effects_before_its_tool_is_read():
    answer = ask(OneTool("rm"), "search/d-0.json")
    assert json.loads(answer.body) == {"0": ["t/rm/index", "rm", "Remove files", ""]}


def test_a_machine_without_tools_says_how_to_find_them():
    page = ask(OneTool(), "tools/").body.decode()
    assert "<code>atip scan</code>" in page and 'class="empty"' in page
    assert 'class="empty"' not in ask(OneTool("rm"), "tools/").body.decode()
