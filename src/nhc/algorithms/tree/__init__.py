"""Algorithms on the search tree of a planning task: Search and Plan, the two of the paper."""
