"""Verbs of `atip registry`."""
