"""Verbs of `atip approvals`."""
