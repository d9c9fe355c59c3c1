"""Formats that describe command-line syntax: usage specs, Fig, OpenCLI, manual pages, completion scripts.

Encoded here; decoded by `inference`, which also reads documents of other producers.
"""
