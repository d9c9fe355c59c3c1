"""Reading and judging a 1 MB document, against `json.loads` and against the `jsonschema` package."""

from __future__ import annotations

import json

from benchmarks.measure import cpu_of_call, ratio, report


def large_document(size: int) -> bytes:
    """A document of about `size` bytes in the shape of a large real tool, with vendor fields."""
    option = {
        "name": "output",
        "flags": ["-o", "--output"],
        "type": "enum",
        "enum": ["json", "yaml"],
        "description": "Output format",
        "default": "json",
    }
    commands = {}
    document = {
        "atip": {"version": "0.6"},
        "name": "big",
        "version": "1.0",
        "description": "a large tool",
        "x-acme": {"owner": "me"},
        "commands": commands,
    }
    number = 0
    while len(json.dumps(document)) < size:
        for _ in range(50):
            commands[f"command-{number}"] = {
                "description": f"Does thing number {number} to a resource",
                "arguments": [
                    {
                        "name": "resource",
                        "type": "string",
                        "description": "what to act on",
                        "required": True,
                    }
                ],
                "options": [
                    {**option, "name": f"option{i}", "flags": [f"--option{i}"]} for i in range(8)
                ],
                "effects": {
                    "network": True,
                    "destructive": number % 7 == 0,
                    "filesystem": {"write": False},
                },
            }
            number += 1
    return json.dumps(document).encode()


def main() -> bool:
    import jsonschema

    import atip
    from atip.model.shapes.schema import schema_of

    data = large_document(1_000_000)
    assert not [p for p in atip.validate(data) if p.severity == "error"]
    validator = jsonschema.Draft202012Validator(schema_of("0.6"))
    value = json.loads(data)
    good = report(
        "read + strict validation of 1 MB / json.loads",
        ratio(
            lambda: cpu_of_call(lambda: atip.validate(data)),
            lambda: cpu_of_call(lambda: json.loads(data)),
        ),
        4.0,
    )
    good &= report(
        "read + strict validation of 1 MB / jsonschema",
        ratio(
            lambda: cpu_of_call(lambda: atip.validate(data)),
            lambda: cpu_of_call(lambda: list(validator.iter_errors(value))),
            rounds=2,
        ),
        0.1,
    )
    return good


if __name__ == "__main__":
    raise SystemExit(not main())
