"""The paper's comparison methods: the differentiable neural computer and the stack-augmented network."""
