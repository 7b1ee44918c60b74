"""Training as a person runs it: run directories, progress, several seeds, from Python or the command line."""
