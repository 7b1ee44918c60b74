"""Tests of nhc.bench."""
