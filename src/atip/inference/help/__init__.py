"""Help text of any style → Command with evidence.

Start at `infer.py`; the stages are `page` and `boxes` (lines), `sections`, `usage` and `synopsis`
(usage lines), `entries` and `flags` (definitions), `commands`, `arguments`, `options`, `prose`.
"""

from atip.inference.help.infer import infer_help

__all__ = ["infer_help"]
