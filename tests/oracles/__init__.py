"""Slow, plain twins that the tests compare the fast code with."""
