"""Tests of proofs: that they hold, and that nothing else is proved."""
