"""`python -m atip` = `atip`."""

from __future__ import annotations

import sys

from atip.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
