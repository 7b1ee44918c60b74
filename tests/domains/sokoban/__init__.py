"""Tests of `nhc`."""
