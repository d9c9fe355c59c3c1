"""What a Toolbox does, one module per workflow: where the packages meet for one user.

Modules are ranked (`tests/test_architecture.py`): each imports lower ranks only. Every function takes a `Host`, never the
Toolbox; command line and server use the Toolbox, never this.
"""
