"""The descriptions of the paper's tables and figures, and of what goes beyond them."""
