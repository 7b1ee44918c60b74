"""Learning of the data modules by supervision, and checks of what was learned on whole families."""
