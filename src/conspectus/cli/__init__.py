"""The command line. Here and in `app` nothing but click is imported, so that help comes at once."""

from __future__ import annotations


def main() -> None:
    """Run the command line with the process's own arguments; ends the process with the exit code."""
    from conspectus.cli.app import app, leave
    from conspectus.cli.leaving import listen

    listen()
    leave(app.run())
