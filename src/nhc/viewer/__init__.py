"""Pages that run a machine in a browser, tick by tick, and show what it does."""
