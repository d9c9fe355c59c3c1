#!/usr/bin/env python3
"""A mock cloud client, with click. One line makes it a tool for agents."""

from __future__ import annotations

import click

import atip.sdk
from atip.sdk import READ_ONLY, effects

REGIONS = ["eu", "us"]


@click.group(context_settings={"auto_envvar_prefix": "CLOUD"})
@click.option("--region", type=click.Choice(REGIONS), default="eu", help="Where to work")
@click.option("--token", envvar="CLOUD_TOKEN", help="Access token")
def cloud(region: str, token: str | None) -> None:
    """Manage servers of a make-believe cloud"""


@cloud.group()
def server() -> None:
    """Servers: list, create, delete"""


@server.command("list")
@click.option("--limit", type=click.IntRange(1, 500), default=50, help="At most this many")
@effects(READ_ONLY, network=True)
def list_servers(limit: int) -> None:
    """Show all servers"""
    atip.sdk.facet(human="no servers", agent={"servers": [], "limit": limit})


@server.command()
@click.argument("name")
@click.option(
    "--size", type=click.Choice(["small", "large"]), required=True, help="Size of the machine"
)
@click.option("--tag", multiple=True, help="Label, repeatable")
@click.option("--dry-run", is_flag=True, help="Say what it would cost and start nothing")
@effects(
    READ_ONLY,
    network=True,
    idempotent=False,
    creates=["server"],
    cost={"billable": True, "estimate": "medium"},
)
def create(name: str, size: str, tag: tuple[str, ...], dry_run: bool) -> None:
    """Start a new server; it costs money"""
    done = "would create" if dry_run else "created"
    atip.sdk.facet(human=f"{done} {name}", agent={"name": name, "size": size, "tags": tag})


@effects(READ_ONLY, network=True, destructive=True, reversible=False, deletes=["server"])
@server.command()
@click.argument("names", nargs=-1, required=True)
@click.confirmation_option(prompt="Delete for good?")
def delete(names: tuple[str, ...]) -> None:
    """Delete servers and their disks"""
    atip.sdk.facet(human="deleted", agent={"deleted": names})


atip.sdk.agent(
    cloud,
    version="0.9.2",
    authentication={
        "required": True,
        "methods": [{"type": "token", "envVar": "CLOUD_TOKEN", "description": "access token"}],
    },
    patterns=[
        {
            "name": "replace-server",
            "description": "Start a new server, then delete the old one",
            "steps": [
                {"command": "cloud server create {new} --size large"},
                {"command": "cloud server delete {old}"},
            ],
            "variables": {
                "new": {"type": "string", "description": "name of the new server"},
                "old": {"type": "string", "description": "name of the old one"},
            },
        }
    ],
    examples={"server create": ["cloud server create web1 --size small"]},
)

if __name__ == "__main__":
    cloud()
