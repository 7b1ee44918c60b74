"""Tests of nhc.planning."""
