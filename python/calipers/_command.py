"""The `calipers` command: the native one, run inside this interpreter."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Runs the command with the arguments of this process and ends it."""
    from calipers import _calipers

    # Ctrl-C ends the command as it ends the native one. A signal that was ignored stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The runtime looks for libraries in the environment that it runs in.
    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    status = _calipers.run(["calipers", *sys.argv[1:]])
    # Nothing of Python is left to clean up, and the command has flushed what it wrote.
    os._exit(status)


if __name__ == "__main__":
    main()
