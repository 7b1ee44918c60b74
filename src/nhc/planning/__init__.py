"""Planning with a trained machine: sampled or given tasks, budgets, checked plans, evaluation by level."""
