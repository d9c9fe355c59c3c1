"""Writing wrappers: which files a source becomes, and which of them changed.

Returns texts by relative path; the caller writes those that differ. A wrapper depends only on its operation and the
parts that it reaches, so one changed operation changes one file and the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atip.apis.wrappers import python, typescript
from atip.apis.wrappers.module import signature, summary
from atip.codecs.apis.operation_schema import schemas_of
from atip.errors import UsageError
from atip.model.text.identifiers import slug

if TYPE_CHECKING:
    from collections.abc import Mapping

    from atip.model.operation import Api

LANGUAGES = {"python": python, "typescript": typescript}
SUFFIXES = {"python": ".py", "typescript": ".ts"}
MAX_INDEX_LINE = 240


def wrap_api(api: Api, language: str) -> Mapping[str, str]:
    """Source texts by the name of the operation.

    Raises:
        UsageError: `api.unknown-language`.
    """
    writer = LANGUAGES.get(language)
    if writer is None:
        raise UsageError(
            "api.unknown-language",
            f"cannot generate wrappers for `{language}`",
            hint="languages: " + ", ".join(LANGUAGES),
        )
    schemas = schemas_of(api)
    return {
        operation.name: writer.operation_module(api, operation, schemas)
        for operation in api.operations
    }


def files_of(api: Api, language: str) -> dict[str, str]:
    """Every file of one source, by path below the folder of the wrappers."""
    folder = folder_name(api.name)
    suffix = SUFFIXES.get(language, "")
    files = {f"{folder}/{name}{suffix}": text for name, text in wrap_api(api, language).items()}
    index = "__init__.py" if language == "python" else "index.ts"
    files[f"{folder}/{index}"] = LANGUAGES[language].index_module(api)
    files[f"{folder}/index.txt"] = index_of(api)
    return files


def index_of(api: Api) -> str:
    """One line per operation: what an agent greps before it reads a wrapper."""
    lines = [f"{signature(operation)} – {summary(operation)}" for operation in api.operations]
    return "".join(f"{line[:MAX_INDEX_LINE]}\n" for line in lines)


def folder_name(source: str) -> str:
    """A source's name as the name of a package."""
    return slug(source, "source")
