"""Workflows of a Toolbox, one module each: they combine the packages for one user.

Modules are ranked (`tests/test_architecture.py`): each imports lower ranks only. Every function takes a `Host`, never the
Toolbox; command line and server use the Toolbox, never this.
"""
