"""The data half of the neural computer: Input, Transform_D, ALU and Output as modules."""
