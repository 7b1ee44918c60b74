"""Speed, always as a ratio to a plain twin measured in the same call."""
