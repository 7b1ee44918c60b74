"""Files and pictures of training runs: directories, checkpoints, logs, curves and progress."""
