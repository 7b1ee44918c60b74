"""Algorithms on sequences of words: one file each, and what they share."""
