"""`python -m nhc` is the command `nhc`."""

from nhc.cli.main import main

if __name__ == "__main__":
    main()
