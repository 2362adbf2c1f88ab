"""A library of real papers, served by the program for a browser to look at."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from helpers import HANG


def chromium() -> str:
    """The browser: Debian's, else whichever is on the path; "" where there is none."""
    debian = Path("/usr/bin/chromium")
    return str(debian) if debian.exists() else shutil.which("chromium") or ""


def arguments() -> list[str]:
    """What it is started with: it refuses the superuser its sandbox."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


class Served:
    """`conspectus serve`, which can be killed and started again at the same address."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.folder = folder
        self.port = 0
        self._words = words
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "conspectus", *self._words, "--library", str(self.folder)]
        command += ["serve", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout
        self.port = int(self._process.stdout.readline().strip().rstrip("/").rpartition(":")[2])

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api/v1{path}", timeout=HANG) as answer:
            return json.load(answer)

    def paper(self, words: str) -> str:
        """The id of the paper with these words in its title."""
        found: list[str] = [one["id"] for one in self.get("/papers")["papers"] if words in one["title"]]
        return found[0]

    def sentence(self, paper: str, page: int) -> dict[str, Any]:
        """A sentence over more than one line in the midst of a page."""
        spans = [span for passage in self.get(f"/papers/{paper}/passages")["passages"] for span in passage["spans"]]
        fits = [span for span in spans if len(span["places"]) > 1 and {one["page"] for one in span["places"]} == {page}]
        found: dict[str, Any] = fits[len(fits) // 2]
        return found
