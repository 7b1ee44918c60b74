"""The learned program: the finite control that a machine's weights amount to, and engines that run it."""
