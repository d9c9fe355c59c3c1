"""Formats that say what can be typed: usage specs, Fig, OpenCLI, manual pages, completion scripts.

Written here; read by `inference`, which also reads what others wrote in them.
"""
