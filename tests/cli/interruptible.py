"""The `nhc` command as a module, for tests that start it: `python -m tests.cli.interruptible train ...`."""

from nhc.cli.main import main

if __name__ == "__main__":
    main()
