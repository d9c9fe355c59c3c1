"""Whether an option takes a value where its term shows none: GOption prints a placeholder only if the author wrote one."""

from __future__ import annotations

import pytest

from atip.inference.help import infer_help

VALUES = [
    ("-t, --timeout", "Timeout in seconds"),
    ("--interval", "Seconds between updates"),
    ("--delay", "Delay before taking the screenshot (in seconds)"),
    ("-n, --count", "Number of packets to send"),
    ("--display", "X display to use"),
    ("--width", "Width of the window in pixels"),
    ("--socket", "Socket to connect to"),
    ("--remove-package", "Remove the package with the given name"),
    ("--pid", "PID of the process to attach"),
    ("-c, --cache-age", "The maximum cache age. Use -1 for 'never'."),
]
SWITCHES = [
    ("--number-lines", "Number all lines"),
    ("--path", "Print the path"),
    ("--count-files", "Count the files"),
    ("--time", "Show the time each step took"),
    ("--log", "Log to syslog"),
    ("--local", "Address the local machine"),
    ("--system", "Use the system bus"),
    ("--print-size", "Print the size of the window"),
    ("--full-attach", "Don't truncate the path to the attach socket"),
    ("--keep", "Keep old metadata of the repository"),
]
HEAD = "Usage:\n  turret [OPTION…] - look around\n\nHelp Options:\n  -h, --help     Show help options\n\nApplication Options:\n"


def page(rows):
    return HEAD + "".join(f"  {term:<30}{text}\n" for term, text in rows)


@pytest.mark.parametrize(
    ("row", "takes_value"), [*((one, True) for one in VALUES), *((one, False) for one in SWITCHES)]
)
def test_an_explanation_that_names_a_thing_means_a_value(row, takes_value):
    found = infer_help(page([*VALUES, *SWITCHES]), tool="turret")
    flag = row[0].split(", ")[-1]
    assert next(one for one in found.options if flag in one.flags).takes_value is takes_value


def test_beside_placeholders_only_amounts_are_values():
    rows = [
        ("--out=FILE", "Where to write"),
        ("--workers", "Number of workers to spawn"),
        ("--theme", "Theme to use"),
    ]
    found = {
        one.flags[-1]: one.takes_value for one in infer_help(page(rows), tool="turret").options
    }
    assert found == {"--help": False, "--out": True, "--workers": True, "--theme": False}
    other = page(rows).replace("Show help options", "give this help")
    found = {one.flags[-1]: one.takes_value for one in infer_help(other, tool="turret").options}
    assert found["--workers"] is False
