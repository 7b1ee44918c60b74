"""The algorithmic half of the neural computer: controller, memory and Transform_C, one tick at a time."""
