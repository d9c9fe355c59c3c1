"""The version of `atip-sdk` is that of the project: read from the checkout, or from the sources inside an sdist."""

import os
import re

_HERE = os.path.dirname(os.path.abspath(__file__))
_PLACES = ("atip_sdk/version.py", "../../src/atip/version.py")


def _read() -> str:
    for place in _PLACES:
        path = os.path.join(_HERE, place)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found = re.search(r'__version__ = "([^"]+)"', file.read())
            if found:
                return found.group(1)
    raise FileNotFoundError(
        f"no version in {_PLACES}: build inside the repository or from an sdist"
    )


__version__ = _read()
