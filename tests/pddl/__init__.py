"""PDDL: reading, grounding, packing, and plans, each against a slow twin or another planner."""
