"""Compiled templates, shared by all renderers of a process: a build has one for tools and one for lists, a server many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import BytecodeCache

if TYPE_CHECKING:
    from types import CodeType

    from jinja2.bccache import Bucket

_CODE: dict[tuple[str, str], CodeType] = {}
"""Key and checksum of a source → its code."""


class TemplateCode(BytecodeCache):
    """Held in memory alone: a file of compiled code would be one more thing to protect."""

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = _CODE.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            _CODE[(bucket.key, bucket.checksum)] = bucket.code
