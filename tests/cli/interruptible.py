"""The `nhc` command as a module, for tests that start it: `python -m tests.cli.interruptible train ...`."""

import signal

from nhc.cli.main import main

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    main()
