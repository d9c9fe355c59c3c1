"""Framework introspection: exact structure from programs that can be asked for their own parser."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from atip.discovery.help_tree import Runner
    from atip.discovery.ladder import Asker, Subject


def framework_askers(open_runner: Callable[[Subject], Runner]) -> list[Asker]:
    """Everyone who may be asked, in this order; the first that answers wins."""
    from atip.discovery.frameworks.cobra_program import CobraAsker
    from atip.discovery.frameworks.python_program import PythonAsker

    return [PythonAsker(open_runner), CobraAsker(open_runner)]
