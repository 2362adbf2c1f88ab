"""Errors of the operating system in words."""

import errno
import os
import socket

import pytest

from conspectus.core.errors import describe_os_error
from conspectus.core.http import NoAnswerError, once


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOENT, os.strerror(errno.ENOENT), "a.csv"), "there is no such file or folder"),
        (socket.gaierror(-2, "Name or service not known"), "no computer has the name 'nowhere.example'"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), "no program answers there"),
        (OSError(errno.EXDEV, "Invalid cross-device link"), "Invalid cross-device link"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "it is not a text in UTF-8"),
        (ValueError(), "ValueError"),
    ],
)
def test_people_read_what_happened(error: Exception, words: str) -> None:
    """A person would read `[Errno -2]` and not know what to do."""
    said = describe_os_error(error, "nowhere.example")
    assert said.startswith(words) and "Errno" not in said


def test_nobody_listening_is_said_in_words() -> None:
    """Connecting a model to the wrong port would say `All connection attempts failed`."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(NoAnswerError, match="no program answers there"):
        once("GET", f"http://127.0.0.1:{port}/v1/models", timeout=5)
