"""Tests of nhc.cli."""
