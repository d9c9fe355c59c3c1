"""Framework introspection: exact structure from programs that can report their own parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from atip.discovery.sources.help_tree import Runner
    from atip.discovery.sources.source_order import MetadataSource


EXECUTING = (
    ("python", "framework"),
    ("yargs", "framework"),
    ("self-described", "framework"),
    ("cobra", "framework"),
    ("help", "help"),
)
"""Name and kind of every source of `executing_sources`, in its order; findings are remembered under these names."""


def executing_sources(prober: Runner) -> list[MetadataSource]:
    """Sources that run the tool: frameworks, of which the first answer wins, then help."""
    from atip.discovery.frameworks.cobra_program import CobraSource
    from atip.discovery.frameworks.npm_program import npm_runner
    from atip.discovery.frameworks.python_program import PythonSource
    from atip.discovery.frameworks.self_described import SelfDescribedSource
    from atip.discovery.frameworks.yargs_program import YargsSource
    from atip.discovery.sources.help_tree import ProbeCache
    from atip.discovery.sources.inference_sources import HelpSource

    runner = ProbeCache(prober)
    return [
        PythonSource(lambda subject: runner),
        YargsSource(lambda subject: runner),
        SelfDescribedSource(lambda subject: runner),
        CobraSource(lambda subject: runner),
        HelpSource(lambda subject: npm_runner(subject, runner)),
    ]
