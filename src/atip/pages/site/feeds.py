"""Sitemap, feeds of changes, lists and charts: pages that are about all tools. Pure.

Times come from the registry's releases, never from a clock.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from atip.model.reading.shim_records import encode_bytes
from atip.pages.names import plain_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Summary = Mapping[str, Any]
    Change = dict[str, str]

_PER_SITEMAP = 40_000
"""The protocol allows 50,000 addresses and 50 MB in one file."""
MAX_CHANGES = 200
PER_LIST = 200
"""Tools on one page of the list."""


def sitemap(base: str, addresses: Sequence[str], updated: str) -> dict[str, bytes]:
    """`sitemap.xml`, and its parts where there are many pages."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    space = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    parts = [addresses[at : at + _PER_SITEMAP] for at in range(0, len(addresses), _PER_SITEMAP)]
    files = {}
    for number, part in enumerate(parts):
        # addresses are plain ASCII without anything to escape
        start, end = f"<url><loc>{escape(base)}/", "</loc></url>"
        urls = start + f"{end}\n{start}".join(map(plain_url, part)) + end
        name = "sitemap.xml" if len(parts) == 1 else f"sitemap-{number + 1}.xml"
        files[name] = f"{head}<urlset {space}>\n{urls}\n</urlset>\n".encode()
    if len(parts) != 1:
        date = f"<lastmod>{escape(updated)}</lastmod>" if updated else ""
        entries = "\n".join(
            f"<sitemap><loc>{escape(f'{base}/{name}')}</loc>{date}</sitemap>" for name in files
        )
        index = f"{head}<sitemapindex {space}>\n{entries}\n</sitemapindex>\n"
        files["sitemap.xml"] = index.encode()
    return files


def describe_change(old: Summary | None, new: Summary | None) -> str:
    """Change of a tool between two builds, in one line; empty when there is none worth a line."""
    if old is None:
        assert new is not None
        return f"new: {new['text'][:120]}" if new["text"] else "new"
    if new is None:
        return "removed"
    if old["version"] != new["version"]:
        return f"version {new['version']} (was {old['version']})"
    if [b["label"] for b in old["badges"]] != [b["label"] for b in new["badges"]]:
        return "effects: " + ", ".join(badge["label"] for badge in new["badges"])
    if old["shims"] != new["shims"]:
        return f"{new['shims']} binaries (was {old['shims']})"
    return "" if old["pages"] == new["pages"] else "description changed"


def feeds(site: Mapping[str, Any], base: str, changes: Sequence[Change]) -> dict[str, bytes]:
    """`changes/feed.xml` (Atom) and `changes/feed.json` (JSON feed)."""
    items = [
        {
            "id": _identity(base, change),
            "url": f"{base}/{plain_url(change['address'])}"
            if change["address"]
            else f"{base}/changes/",
            "title": f"{change['name'][:200]}: {change['text'][:200]}",
            "content_text": change["text"],
            "date_published": change["at"],
            "_atip": change,
        }
        for change in changes
    ]
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": f"Changes of {site['name']}",
        "home_page_url": f"{base}/",
        "feed_url": f"{base}/changes/feed.json",
        "items": items,
    }
    return {
        "changes/feed.json": encode_bytes(document),
        "changes/feed.xml": _atom(site, base, items),
    }


def _identity(base: str, change: Change) -> str:
    text = "\0".join((base, change["name"], change["at"], change["text"]))
    return f"urn:sha256:{hashlib.sha256(text.encode()).hexdigest()[:40]}"


def _atom(site: Mapping[str, Any], base: str, items: Sequence[Mapping[str, Any]]) -> bytes:
    updated = items[0]["date_published"] if items else site["updated"]
    entries = "".join(
        f"<entry><id>{escape(item['id'])}</id><title>{escape(item['title'])}</title>"
        f"<link href={quoteattr(item['url'])}/><updated>{escape(item['date_published'])}</updated>"
        f"<summary>{escape(item['content_text'])}</summary></entry>\n"
        for item in items
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
        f"<id>{escape(base)}/changes/</id><title>Changes of {escape(site['name'])}</title>"
        f"<author><name>{escape(site['name'])}</name></author>"
        f"<updated>{escape(updated)}</updated>\n{entries}</feed>\n"
    ).encode()


def lists(summaries: Sequence[Summary]) -> list[dict[str, Any]]:
    """All tools in pages by first letter, each of a readable length."""
    by_letter: dict[str, list[Summary]] = {}
    for summary in summaries:
        first = summary["name"][:1].lower()
        by_letter.setdefault(first if first.isascii() and first.isalnum() else "#", []).append(
            summary
        )
    pages = []
    for letter in sorted(by_letter):
        tools = by_letter[letter]
        for at in range(0, len(tools), PER_LIST):
            number = at // PER_LIST
            stem = "other" if letter == "#" else letter
            pages.append(
                {
                    "file": f"{stem}{f'-{number + 1}' if number else ''}.html",
                    "label": f"{letter}{f' {number + 1}' if number else ''}",
                    "tools": tools[at : at + PER_LIST],
                }
            )
    return pages


def charts(summaries: Iterable[Summary]) -> list[dict[str, Any]]:
    """Charts of coverage: effects, platforms, sources, signatures."""
    platforms: dict[str, int] = {}
    sources: dict[str, int] = {}
    effects: dict[str, int] = {}
    signed = {"signed": 0, "not signed": 0}
    tools = binaries = 0
    for one in summaries:
        tools, binaries = tools + 1, binaries + one["shims"]
        for platform in one["platforms"]:
            platforms[platform] = platforms.get(platform, 0) + 1
        source = one["source"] or "not stated"
        sources[source] = sources.get(source, 0) + 1
        known = _knowledge(one["badges"])
        effects[known] = effects.get(known, 0) + 1
        signed["signed"] += one["signed"]
        signed["not signed"] += one["shims"] - one["signed"]
    return [
        _chart("effects", "Effects of tools", effects, tools),
        _chart("platforms", "Platforms", platforms, tools),
        _chart("sources", "Described by", sources, tools),
        _chart("signatures", "Signatures of binaries", signed, binaries),
    ]


def _knowledge(badges: Sequence[Mapping[str, str]]) -> str:
    states = [badge["state"] for badge in badges]
    if "unknown" not in states:
        return "known"
    return "partly known" if len(states) > 1 else "unknown"


def _chart(name: str, title: str, counts: Mapping[str, int], total: int) -> dict[str, Any]:
    """
    Args:
        total: of what each row is a share; a tool may be in several rows.
    """
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {
        "id": name,
        "title": title,
        "total": total,
        "rows": [{"label": label, "value": value} for label, value in rows],
    }
