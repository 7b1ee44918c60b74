"""Tests of learning the data modules."""
