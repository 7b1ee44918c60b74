"""Tests of the comparison methods."""
