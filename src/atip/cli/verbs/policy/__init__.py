"""Verbs of `atip policy`."""
