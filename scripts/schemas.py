"""Write the published JSON Schemas from the model's own tables (a test holds them equal)."""

from __future__ import annotations

import json
import pathlib

from atip.model.shapes.schema import names, schema_of

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "atip" / "model" / "schemas"


def main() -> None:
    for name in names():
        text = json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"
        (FOLDER / f"{name}.json").write_text(text)


if __name__ == "__main__":
    main()
