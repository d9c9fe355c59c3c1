"""Pages to look at: the catalogue of a registry as a static site, and the pages of one machine.

One set of templates and styles. Every page is data first (`*_data.py`), written as JSON beside its HTML.
"""
