"""The author's check: `python -m atip.sdk.check ./mytool` (or `python -m atip_sdk.check`).

`__main__` runs the tool and prints; `readiness` judges what was seen, and runs nothing.
"""
