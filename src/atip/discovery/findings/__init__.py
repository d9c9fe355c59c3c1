"""Findings: the cached answer of each source about each program, so that no program is probed twice."""
