"""Tests of nhc.training."""
