"""Algorithms on words that come one after the other: one file for each, one data side for all."""
