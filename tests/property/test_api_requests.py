"""Laws of API requests: a value never leaves its place; generated code says nothing of its own."""

from __future__ import annotations

import ast
from urllib.parse import parse_qsl, unquote, urlsplit

from hypothesis import given, settings
from hypothesis import strategies as st

from atip.apis.http.requests import build_request
from atip.apis.wrappers import python, typescript
from atip.codecs.apis.operation_schema import Schemas
from atip.errors import UsageError
from atip.model.operation import Api, Body, Operation, Parameter
from atip.model.text.identifiers import slug, unique

BASE = "https://api.example.org/v1"
TEXT = st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=40)
HOSTILE = st.sampled_from(
    ['"""', "*/", "${x}", "`", "\\", "\n", "\r\n", "'", '"', "\u2028", "#", "..", "/", "?", "&a=b", "%2e%2e", "__import__('os')", "{x}"]
)  # fmt: skip
NASTY = st.lists(st.one_of(TEXT, HOSTILE), max_size=4).map("".join)


@given(NASTY)
def test_path_value_stays_in_its_segment(value: str) -> None:
    operation = Operation(
        name="t",
        original="t",
        method="GET",
        path="/a/{x}/b",
        parameters=(
            Parameter(argument="x", name="x", place="path", style="simple", explode=False, required=True),
        ),
    )  # fmt: skip
    try:
        url = build_request(operation, {"x": value}, BASE).url
    except UsageError:
        assert value in {"", ".", ".."}
        return
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("https", "api.example.org", "", "")  # fmt: skip
    segments = parts.path.split("/")
    assert len(segments) == 5
    assert unquote(segments[3]) == value


@given(st.dictionaries(NASTY.filter(bool), NASTY, max_size=3))
def test_query_pairs_are_read_back_unchanged(values: dict[str, str]) -> None:
    taken: set[str] = set()
    parameters = tuple(
        Parameter(argument=unique(slug(name, "value"), taken), name=name, place="query")
        for name in values
    )
    operation = Operation(name="t", original="t", method="GET", path="/a", parameters=parameters)
    arguments = {parameter.argument: values[parameter.name] for parameter in parameters}
    url = build_request(operation, arguments, BASE).url
    read = parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=bool(values))
    assert read == list(values.items())


@given(st.dictionaries(NASTY.filter(bool), NASTY, min_size=1, max_size=3))
def test_form_bodies_are_read_back_unchanged(values: dict[str, str]) -> None:
    body = Body(argument="body", media_type="application/x-www-form-urlencoded")
    operation = Operation(name="t", original="t", method="POST", path="/a", body=body)
    content = build_request(operation, {"body": values}, BASE).content or b""
    assert parse_qsl(content.decode(), keep_blank_values=True) == list(values.items())


@given(NASTY, NASTY)
def test_header_values_hold_no_line_end(name: str, value: str) -> None:
    operation = Operation(
        name="t",
        original="t",
        method="GET",
        path="/a",
        parameters=(Parameter(argument="x", name=name, place="header", style="simple"),),
    )
    try:
        headers = build_request(operation, {"x": value}, BASE).headers
    except UsageError as error:
        assert error.code == "api.header-value"
        return
    assert not any(sign in f"{key}{text}" for key, text in headers for sign in "\r\n\0")


@given(TEXT, st.sets(TEXT, max_size=5))
def test_slugs_are_identifiers_and_unique(text: str, others: set[str]) -> None:
    taken: set[str] = set()
    made = [unique(slug(other), taken) for other in [text, *others, text]]
    assert len(set(made)) == len(made)
    assert all(each.isidentifier() and each.isascii() for each in made)


def operation_of(texts: list[str]) -> Operation:
    name, about, argument, choice, field = texts
    return Operation(
        name=slug(name),
        original=name,
        summary=about,
        description=about,
        method="POST",
        path=f"/{about}",
        category=about,
        parameters=(
            Parameter(
                argument=slug(argument, "value"),
                name=argument,
                place="query",
                schema={"type": "string", "enum": [choice, about], "description": about},
                description=about,
            ),
        ),
        body=Body(
            argument="body",
            media_type="application/json",
            schema={
                "type": "object",
                "description": about,
                "properties": {field: {"type": "string", "description": about}, choice: {"const": about}},
                "required": [field],
            },
        ),
        output={"type": "object", "properties": {field: {"enum": [choice]}}},
    )  # fmt: skip


SHAPE = {"Expr", "ImportFrom", "Import", "ClassDef", "Assign", "FunctionDef", "AsyncFunctionDef"}


@settings(max_examples=150, deadline=None)
@given(st.lists(NASTY, min_size=5, max_size=5))
def test_python_wrapper_has_exactly_the_expected_statements(texts: list[str]) -> None:
    operation = operation_of(texts)
    api = Api(name="t", kind="openapi", operations=(operation,))
    tree = ast.parse(python.operation_module(api, operation, Schemas({}, "openapi-3.1")))
    assert {type(each).__name__ for each in tree.body} <= SHAPE
    functions = [each for each in tree.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]  # fmt: skip
    assert [function.name for function in functions] == [operation.name, f"{operation.name}_async"]
    for function in functions:
        # a docstring, the call, the return – and nothing that a text could have added
        assert [type(line).__name__ for line in function.body] == ["Expr", "AnnAssign", "Return"]
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {ast.unparse(node.func) for node in called}
    assert names <= {
        "runtime.call", "runtime.call_async", "dataclasses.dataclass", "dataclasses.field", "TypedDict",
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            ast.parse(repr(node.value))


@settings(max_examples=150, deadline=None)
@given(st.lists(NASTY, min_size=5, max_size=5))
def test_typescript_wrapper_keeps_texts_in_literals_and_comments(texts: list[str]) -> None:
    operation = operation_of(texts)
    api = Api(name="t", kind="openapi", operations=(operation,))
    source = typescript.operation_module(api, operation, Schemas({}, "openapi-3.1"))
    code = without_texts(source)
    # what is left is made of our own words, identifiers and signs
    assert all(sign.isascii() for sign in code)
    assert "`" not in code and "import(" not in code and "eval" not in code
    assert code.count("export function") == 1 and code.count("import ") == 1


def without_texts(source: str) -> str:
    """TypeScript without comments and string literals, by a scanner that knows nothing of the generator."""
    made: list[str] = []
    index = 0
    while index < len(source):
        if source.startswith("/*", index):
            index = source.index("*/", index) + 2
        elif source[index] == '"':
            index += 1
            while source[index] != '"':
                assert source[index] not in "\n\u2028\u2029"
                index += 2 if source[index] == "\\" else 1
            index += 1
        else:
            made.append(source[index])
            index += 1
    return "".join(made)
