"""atip: know what a command line will do, prove it, enforce it."""
