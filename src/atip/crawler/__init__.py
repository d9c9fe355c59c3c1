"""Crawler: packages of many ecosystems → signed shims of a registry. Implements ATIP 0.6 §4.10."""
