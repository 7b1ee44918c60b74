"""The paper's experiments: one description per table and figure, engines that run them, and the report."""
