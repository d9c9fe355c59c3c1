"""The frames between a worker on the host and the supervisor inside (which repeats them).

The supervisor runs alone inside a sandbox, without this package; a test compares the two.
"""

from __future__ import annotations

import struct

REQUEST = struct.Struct("<IIII")
"""Bytes that follow, number of arguments, time limit in ms, bytes kept of each stream."""
REPLY = struct.Struct("<iIIIIQQ")
"""Exit code or errno, flags, processes that had to be killed, stdout, stderr, microseconds on the clock and on processors."""
MAX_STRETCH = 8
"""Most clock time a probe may take while it waits for a processor, as a multiple of its limit."""
TIMED_OUT, TRUNCATED, NOT_STARTED, NEEDS_RESTART = 1, 2, 4, 8
