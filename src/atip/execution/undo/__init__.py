"""Undo: what confined lines change in a workspace is kept for a week, out of their reach, and can be brought back."""
