"""Proofs that trained weights are the algorithm, for every tree and every goal, whatever the task's size."""
