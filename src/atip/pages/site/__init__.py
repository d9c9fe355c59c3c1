"""The static catalogue of a registry."""
