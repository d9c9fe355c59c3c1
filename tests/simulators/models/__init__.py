"""Scripted models: the interfaces of model vendors on loopback, each answering with the next tool call of a list."""
