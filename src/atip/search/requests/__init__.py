"""Requests: which words of a request are names, objects or misspelt."""
