"""Framework introspection: exact structure from programs that can be asked for their own parser."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.ladder import Asker


EXECUTING = (
    ("python", "framework"),
    ("yargs", "framework"),
    ("self-described", "framework"),
    ("cobra", "framework"),
    ("help", "help"),
)
"""Name and rung of every source of `executing_askers`, in its order; findings are remembered under these names."""


def executing_askers(prober: Runner) -> list[Asker]:
    """Everyone who runs the tool: frameworks, of which the first that answers wins, then help."""
    from atip.discovery.frameworks.cobra_program import CobraAsker
    from atip.discovery.frameworks.python_program import PythonAsker
    from atip.discovery.frameworks.self_described import SelfDescribedAsker
    from atip.discovery.frameworks.yargs_program import YargsAsker
    from atip.discovery.sources.help_tree import Remembering
    from atip.discovery.sources.learning import HelpAsker

    runner = Remembering(prober)
    return [
        PythonAsker(lambda subject: runner),
        YargsAsker(lambda subject: runner),
        SelfDescribedAsker(lambda subject: runner),
        CobraAsker(lambda subject: runner),
        HelpAsker(lambda subject: runner),
    ]
