"""Proving: claims held against what programs do, case by case, in a sandbox that nothing leaves."""
