#!/usr/bin/env python3
"""A mock image tool, with typer. One line makes it a tool for agents."""

import enum
import pathlib
from typing import Annotated

import typer

import atip.sdk
from atip.sdk import READ_ONLY, effects

app = typer.Typer(help="Look at images and shrink them", add_completion=False)


class Format(str, enum.Enum):  # noqa: UP042 – `StrEnum` is new in Python 3.11
    png = "png"
    webp = "webp"


@app.command()
@effects(READ_ONLY)
def info(
    image: Annotated[pathlib.Path, typer.Argument(help="Image to look at", exists=True)],
) -> None:
    """Show size and format of an image"""
    size = image.stat().st_size
    atip.sdk.facet(human=f"{image}: {size} bytes", agent={"path": str(image), "bytes": size})


@app.command()
@effects(
    READ_ONLY,
    filesystem={"write": True},
    creates=["image"],
    flags={"--in-place": {"destructive": True, "reversible": False}},
)
def shrink(
    images: Annotated[list[pathlib.Path], typer.Argument(help="Images to shrink")],
    quality: Annotated[int, typer.Option(min=1, max=100, help="1 is worst")] = 80,
    to: Annotated[Format, typer.Option(help="Format to write")] = Format.webp,
    out: Annotated[
        pathlib.Path, typer.Option(file_okay=False, envvar="IMAGES_OUT", help="Folder to write to")
    ] = pathlib.Path("small"),
    in_place: Annotated[bool, typer.Option("--in-place", help="Overwrite the originals")] = False,
) -> None:
    """Write smaller copies of images"""
    target = "in place" if in_place else f"to {out}"
    atip.sdk.facet(
        human=f"{len(images)} images {target}",
        agent={"images": [str(each) for each in images], "quality": quality, "format": to.value},
    )


atip.sdk.agent(
    app,
    version="2.0.1",
    examples={"shrink": ["images shrink photo.png --quality 60", "images shrink *.png --in-place"]},
)

if __name__ == "__main__":
    app()
