"""The tools over HTTP, as a program: its address, the token, its end."""

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from helpers import HANG, open_library, write_jsonl
from mcp import Client


@pytest.fixture
def folder(tmp_path: Path, quick_pool: None) -> Path:
    with open_library(tmp_path / "lib") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"id": "p0", "title": "Grid cells", "abstract": "They fire."}]))
    return library.folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix does")
def test_over_http(folder: Path) -> None:
    """The address printed would not lead there, or the program not end while a host listens."""
    command = [sys.executable, "-m", "conspectus", "--library", str(folder), "mcp", "--http", "0", "--token", "secret"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            place = process.stdout.readline().strip()
            assert place.startswith("http://127.0.0.1:") and place.endswith("/mcp?token=secret")
            assert asyncio.run(title(place)) == "Grid cells"
            with pytest.raises(BaseExceptionGroup):
                asyncio.run(title(place.replace("secret", "wrong")))
            out, errors = asyncio.run(ended(place, process))
        finally:
            process.kill()
    assert process.returncode == 0 and not out and not errors, "nothing had to be cut off"


async def title(place: str) -> str:
    async with Client(place) as client:
        found = await client.call_tool("get_paper", {"paper": "p0"})
        assert found.structured_content
        return str(found.structured_content["title"])


async def ended(place: str, process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C while a host is there."""
    with suppress(Exception, BaseExceptionGroup):  # the host is told that its server is gone
        async with Client(place):
            process.send_signal(signal.SIGINT)
            await asyncio.to_thread(process.wait, timeout=HANG)
    return process.communicate(timeout=HANG)
