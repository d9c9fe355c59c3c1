#!/usr/bin/env python3
"""A notebook on the command line, with argparse. One line makes it a tool for agents."""

import argparse
import os
import pathlib

import atip.sdk
from atip.sdk import READ_ONLY, effects


@effects(READ_ONLY)
def list_notes(options: argparse.Namespace) -> None:
    notes = sorted(path.name for path in pathlib.Path(options.dir).glob("*.txt"))
    atip.sdk.facet(human="\n".join(notes) or "no notes yet", agent={"notes": notes})


@effects(READ_ONLY, filesystem={"write": True}, idempotent=False, creates=["note"])
def add_note(options: argparse.Namespace) -> None:
    note = pathlib.Path(options.dir) / f"{options.title}.txt"
    if note.exists() and not options.force:
        atip.sdk.fail("note.exists", f"`{options.title}` is there already", hint="use --force")
    note.write_text(" ".join(options.text) + "\n")


@effects(
    READ_ONLY,
    filesystem={"write": True, "delete": True},
    destructive=True,
    reversible=False,
    deletes=["note"],
)
def remove_note(options: argparse.Namespace) -> None:
    (pathlib.Path(options.dir) / f"{options.title}.txt").unlink()


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Keep short notes in a folder")
    parser.add_argument(
        "--version", action="version", version="%(prog)s 1.4.0", help="Print the version"
    )
    parser.add_argument(
        "--dir",
        default=os.environ.get("NOTES_DIR", "."),
        help="Folder of the notes [env: NOTES_DIR]",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", aliases=["ls"], help="Show all notes")
    listing.set_defaults(run=list_notes)

    adding = commands.add_parser("add", help="Write a note")
    adding.add_argument("title", help="Name of the note")
    adding.add_argument("text", nargs="+", help="What to write")
    adding.add_argument("--force", action="store_true", help="Replace a note of the same name")
    adding.set_defaults(run=add_note)

    removing = commands.add_parser("remove", help="Delete a note for good")
    removing.add_argument("title", help="Name of the note")
    removing.set_defaults(run=remove_note)
    return parser


def main() -> None:
    parser = build_parser()
    atip.sdk.agent(
        parser,
        effects={"add": {"flags": {"--force": {"destructive": True, "reversible": False}}}},
        examples={"add": ["notes add milk 'two bottles'"]},
    )
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
