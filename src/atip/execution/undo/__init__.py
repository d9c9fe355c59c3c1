"""Undo: what confined lines change in a workspace is saved for a week, out of their reach, and can be restored."""
