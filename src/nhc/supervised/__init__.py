"""Learning the data modules: samples, losses, bad memories and counterexamples, model files."""
