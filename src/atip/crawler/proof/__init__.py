"""Proof at scale: many programs and all their cases, on the engines of the crawler."""
