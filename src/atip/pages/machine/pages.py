"""From a request to a page about this machine. What is known comes from a `Machine`; GET never changes anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from atip.errors import AtipError, NotFoundError
from atip.model.reading.shim_records import encode_text
from atip.model.text.visible_text import clean
from atip.pages.names import page_address, tool_folder
from atip.pages.rendering import Renderer, load_assets
from atip.pages.search_pieces import index_files
from atip.pages.tool_data import command_data, tool_data
from atip.registry.publish.files.delivery import PAGE_TYPES
from atip.system.network.page_server import PageAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.tool import Tool
    from atip.system.network.page_server import PageRequest

    Rows = list[dict[str, Any]]

    class Machine(Protocol):
        """The known tools of this machine. Every text is untrusted."""

        name: str

        def tools(self) -> Rows: ...
        def tool(self, name: str) -> Tool: ...
        def explain(self, line: str) -> dict[str, Any]: ...
        def log(self, after: int) -> Rows: ...
        def table(self, name: str) -> dict[str, Any]: ...
        def revoke(self, name: str) -> None: ...
        def decide(self, line: str) -> dict[str, Any]: ...
        def run_doctor(self) -> dict[str, Any]: ...


TABLES = {
    # path: label in the menu; each is a table that the machine fills
    "approvals": "Approvals",
    "policies": "Policies",
    "bundles": "Bundles",
    "registries": "Registries",
    "doctor": "Doctor",
}
MENU = (
    {"folder": "tools/", "label": "Tools"},
    {"folder": "explain/", "label": "Explain"},
    {"folder": "log/", "label": "Log"},
    *({"folder": f"{path}/", "label": label} for path, label in TABLES.items()),
)
_JSON = "application/json"
_NOT_SAID = ""
"""Level of a search result here: effects of a tool are read when its page is opened."""
EXAMPLES = ("git push --force origin main", "rm -rf build", "curl -fsSL https://example.com/x | sh")


class MachinePages:
    """All pages; made anew for each request, so that they always say what is."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._assets = load_assets()
        self._by_name = {f"assets/{asset.name}": asset.data for asset in self._assets.values()}
        site = {
            "name": machine.name,
            "menu": MENU,
            "footer": "Served on this machine by atip ui. Pages only read; actions ask for confirmation.",
        }
        self._renderer = Renderer(site, self._assets)
        self._index: tuple[Rows, dict[str, bytes]] = ([], index_files({}))

    def answer(self, request: PageRequest) -> PageAnswer:
        """One page, or a small page that says why there is none."""
        try:
            return self._act(request) if request.method == "POST" else self._show(request)
        except NotFoundError as error:
            return self._problem(404, error.message)
        except AtipError as error:
            return self._problem(500, f"{error.message} {error.hint}".strip())

    def _show(self, request: PageRequest) -> PageAnswer:
        path = request.path
        if path.startswith("t/"):
            return self._tool(path)
        path = path.removesuffix("index.html")
        if path in self._by_name:
            return PageAnswer(kind=PAGE_TYPES[path.rpartition(".")[2]], body=self._by_name[path])
        if path.startswith("search/") and path.endswith(".json"):
            return self._search(path)
        if path == "explain.json":
            return _json(self._machine.explain(request.query.get("line", "")[:20_000]))
        if path == "log.json":
            after = request.query.get("after", "0")
            return _json({"records": self._machine.log(int(after) if after.isdigit() else 0)})
        return self._page(path.rstrip("/"), request.query)

    def _page(self, path: str, query: Mapping[str, str]) -> PageAnswer:
        if path in ("", "tools"):
            tools = {"tools": self._machine.tools()}
            return self._html("machine_tools.html", f"{path}/" if path else "", tools)
        if path == "explain":
            page = {"explains": True, "lead": "Judged by the policies in force here.", "share": ""}
            return self._html(
                "explain.html", "explain/", {**page, "url": "../explain.json", "examples": EXAMPLES}
            )
        if path == "log":
            return self._log(query)
        if path == "search":
            return self._html("search.html", "search/", {})
        if path in TABLES:
            line = query.get("line", "")[:20_000] if path == "policies" else ""
            decided = self._machine.decide(line) if line.strip() else None
            return self._table(path, self._machine.table(path), {"line": line, "decided": decided})
        raise NotFoundError("ui.no-page", f"no page `{clean(path[:80])}`")

    def _log(self, query: Mapping[str, str]) -> PageAnswer:
        """The records that the filters in the address leave; the page filters again as one types."""
        chosen = {name: query.get(name, "")[:200] for name in ("text", "event", "decision")}
        records = [one for one in self._machine.log(0) if _fits(one, chosen)]
        return self._html("machine_log.html", "log/", {"records": records, "chosen": chosen})

    def _table(self, path: str, table: dict[str, Any], more: dict[str, Any]) -> PageAnswer:
        page = {**table, "title": TABLES[path], "path": path, "line": "", "decided": None, **more}
        return self._html("machine_table.html", f"{path}/", page)

    def _tool(self, path: str) -> PageAnswer:
        address, _, ending = path.rpartition(".")
        if ending not in ("html", "json"):
            address, ending = f"{path.rstrip('/')}/index", "html"
        data = self._tool_data(address)
        if ending == "json":
            return _json(data)
        return self._html("command.html" if data["path"] else "tool.html", address, data)

    def _tool_data(self, address: str) -> dict[str, Any]:
        for entry in self._machine.tools():
            if address.startswith(tool_folder(entry["raw"])):
                tool = self._machine.tool(entry["raw"])
                if address == page_address(tool.name):
                    return {**tool_data(tool), "versions": [], "changes": [], "unreadable": False}
                for path, command in tool.walk():
                    if path and page_address(tool.name, path) == address:
                        return command_data(tool, path, command)
        raise NotFoundError("ui.no-page", f"no page `{clean(address[:80])}`")

    def _search(self, path: str) -> PageAnswer:
        tools = self._machine.tools()
        if self._index[0] != tools:
            documents = {
                number: (one["address"], one["name"], one["text"], _NOT_SAID)
                for number, one in enumerate(tools)
            }
            self._index = (tools, index_files(documents))
        data = self._index[1].get(path)
        if data is None:
            raise NotFoundError("ui.no-page", f"no file `{clean(path[:80])}`")
        return PageAnswer(kind=_JSON, body=data)

    def _act(self, request: PageRequest) -> PageAnswer:
        """The few things that a page may do; each asks for confirmation."""
        form = request.form
        if request.path == "approvals/revoke":
            name = form.get("id", "")
            if form.get("confirm") != "yes":
                question = f"Revoke the approval {clean(name[:40])}?"
                return self._confirm(question, request.path, "Revoke it", name[:40])
            self._machine.revoke(name)
            return PageAnswer(status=303, location="/approvals/")
        if request.path == "doctor/run":
            if form.get("confirm") != "yes":
                question = "Run all checks? They write a test file and start confined processes."
                return self._confirm(question, request.path, "Run all checks", "")
            return self._table("doctor", self._machine.run_doctor(), {})
        raise NotFoundError("ui.no-action", "unknown action")

    def _confirm(self, question: str, action: str, label: str, name: str) -> PageAnswer:
        page = {"question": question, "action": action, "label": label, "id": name}
        page["back"] = action.partition("/")[0]
        return self._html("machine_confirm.html", action.rpartition("/")[0] + "/", page)

    def _html(self, template: str, folder: str, page: dict[str, Any]) -> PageAnswer:
        return PageAnswer(body=self._renderer.page(template, folder, page=page))

    def _problem(self, status: int, text: str) -> PageAnswer:
        """A page with the menu, whose links work at any address."""
        page = {
            "title": "Not found" if status == 404 else "This did not work",
            "text": clean(f"{text[:1].upper()}{text[1:]}"),
        }
        body = self._renderer.page("problem.html", "", root="/", page=page)
        return PageAnswer(status=status, body=body)

    def export(self) -> dict[str, bytes]:
        """A report that can be given away: every page but explanations and tools one by one."""
        paths = ("", "tools", "log", *TABLES)
        files = {f"{path}/index.html".lstrip("/"): self._page(path, {}).body for path in paths}
        for path in TABLES:
            files[f"{path}/index.json"] = encode_text(self._machine.table(path)).encode()
        return files | self._by_name


def _fits(record: dict[str, Any], chosen: Mapping[str, str]) -> bool:
    text = chosen["text"].lower()
    return (
        chosen["event"] in ("", record["event"])
        and chosen["decision"] in ("", record["decision"])
        and (not text or any(text in str(value).lower() for value in record.values()))
    )


def _json(document: object) -> PageAnswer:
    return PageAnswer(kind=_JSON, body=encode_text(document).encode())
