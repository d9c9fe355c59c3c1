"""Scan: find every tool, probe those that can answer, store the metadata. See `discovery.scan`."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING

from atip.discovery.files.safety import path_entries
from atip.discovery.findings.memory import FindingsMemory
from atip.discovery.scan import Scanner, ScanOptions
from atip.registry import layout
from atip.registry.settings import load_settings
from atip.system.clock import now_iso
from atip.system.paths import find_places
from atip.workflows.scan.shims import shim_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atip.discovery.files.documents import InstalledTexts
    from atip.discovery.files.executables import Executable
    from atip.discovery.findings.metadata_finder import MetadataFinder
    from atip.discovery.report import ScanPlan, ScanReport
    from atip.discovery.scan import Progress
    from atip.discovery.sources.source_order import MetadataSource
    from atip.discovery.store_writer import StoreWriter
    from atip.sandbox.probes.probe import ProbeSandbox
    from atip.workflows.host import Host


def scan(
    host: Host, options: ScanOptions | None = None, *, progress: Progress | None = None
) -> ScanReport:
    """Scan this machine, or the folders that the options name."""
    scanner = _scanner(host, options, progress)
    with ExitStack() as stack, _indexing(host, scanner.options):
        return scanner.run(
            open_writer=lambda: _writer(host),
            open_prober=lambda visible: open_prober(visible, scanner.options.jobs),
            open_finder=lambda listing: metadata_finder(host, scanner.options, listing, stack),
        )


def _indexing(host: Host, options: ScanOptions) -> AbstractContextManager[object]:
    """Index what is learned while it is learned. A scan that only reads, or of a few tools, is over sooner."""
    is_long = options.learn and not options.paths and not options.only
    if not is_long or host.places != find_places():
        return nullcontext()
    from atip.workflows.search.beside import indexing_beside

    return indexing_beside()


def plan_scan(host: Host, options: ScanOptions | None = None) -> ScanPlan:
    """Plan of what `scan` would execute; executes nothing."""
    return _scanner(host, options, None).plan()


def open_prober(visible: Sequence[str], jobs: int) -> ProbeSandbox:
    """A sandbox for probes that shows these paths; `jobs` at a time, 0: as many as this machine serves well."""
    from atip.sandbox.probes.probe import ProbeSandbox, default_jobs

    return ProbeSandbox(visible=visible, jobs=jobs or min(default_jobs(), max(1, len(visible))))


def _scanner(host: Host, options: ScanOptions | None, progress: Progress | None) -> Scanner:
    return Scanner(
        options or ScanOptions(),
        config=load_settings(host.places, "config"),
        cache=host.places.cache,
        environment_path=os.environ.get("PATH", ""),
        findings=FindingsMemory(host.places.data),
        progress=progress,
    )


def _writer(host: Host) -> StoreWriter:
    from atip.discovery.store_writer import StoreWriter

    redact = load_settings(host.places, "config").get("redact", ())
    return StoreWriter(host.store, layout, home=host.places.home, now=now_iso(), redact=redact)


def metadata_finder(
    host: Host,
    options: ScanOptions,
    programs: Sequence[Executable],
    stack: ExitStack,
    memory: FindingsMemory | None = None,
) -> MetadataFinder:
    """All sources as one function of a subject; `stack` ends what it had to start."""
    from atip.discovery.files.documents import system_texts
    from atip.discovery.findings.metadata_finder import MetadataFinder
    from atip.discovery.findings.prober import LazyProber
    from atip.discovery.sources.stored_sources import OverrideSource
    from atip.discovery.summaries.sources import SummarySources

    texts = system_texts(host.places.home)
    lazy = LazyProber(programs, lambda visible: open_prober(visible, options.jobs))
    stack.callback(lazy.close)
    return MetadataFinder(
        [*reading_sources(host, texts), *shim_sources(host, stack)],
        override=OverrideSource(host.places.config),
        summaries=SummarySources(texts),
        memory=memory or FindingsMemory(host.places.data),
        prober=lazy if options.learn else None,
        refresh=options.refresh,
        search_path=path_entries(os.environ.get("PATH", "")),
    )


def reading_sources(host: Host, texts: InstalledTexts) -> list[MetadataSource]:
    """The sources that execute nothing."""
    from atip.bundles.metadata_source import BundleSource
    from atip.discovery.cmp.metadata_source import CmpSource
    from atip.discovery.frameworks.cloud_sdk import CloudSdkSource
    from atip.discovery.frameworks.node_package import OclifSource
    from atip.discovery.sources.inference_sources import CompletionSource, ManSource
    from atip.discovery.sources.knowledge_source import KnowledgeSource
    from atip.discovery.sources.stored_sources import NativeSource, ShimFolderSource

    return [
        NativeSource(),
        ShimFolderSource([host.places.data], tell=host.notices.append),
        BundleSource(host.places.data),
        CmpSource(host.places.home, load_settings(host.places, "config").get("cmpPaths", ())),
        OclifSource(),
        CloudSdkSource(),
        CompletionSource(texts),
        ManSource(texts),
        KnowledgeSource(),
    ]
