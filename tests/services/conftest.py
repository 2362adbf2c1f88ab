"""The server that answers as a test says."""

from collections.abc import Iterator

import pytest

from scripted_service import ScriptedService, scripted_service


@pytest.fixture
def server() -> Iterator[ScriptedService]:
    with scripted_service() as running:
        yield running
