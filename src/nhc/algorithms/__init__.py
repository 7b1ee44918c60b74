"""Algorithms that the machine can learn: what one is, and one folder for each family of them."""
