"""The command line. Here and in `app` nothing but click is imported, so that help comes at once."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line with the process's own arguments; ends the process with the exit code."""
    try:
        from conspectus.cli.interrupts import listen

        listen()
        from conspectus.cli.app import app, leave

        leave(app.run())
    except KeyboardInterrupt:  # before `listen`, or after all was done
        stop()


def stop() -> None:
    """End the process as Ctrl-C does, while there is nothing that wants closing."""
    json = b'{"error": {"type": "Interrupted", "message": "Stopped.", "hint": ""}}\n'
    try:
        os.write(2, json if "--json" in sys.argv else b"\nerror: Stopped.\n")
    finally:
        os._exit(130)
