"""Seconds and memory of a process with all its children, from Linux's `/proc`."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
EVERY = 0.1
"""Seconds between two looks at the memory; new children are looked for each tenth time, for that takes longer."""


@dataclass
class Watched:
    """What a child said, the CPU seconds used until each of its marks, and the most memory (the sum of RSS), in MB."""

    lines: list[str] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)
    memory: float = 0.0
    status: int = 0


def stat(pid: int) -> list[str]:
    """The fields of a process's `stat` after its name; none where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return []


def family(root: int) -> set[int]:
    """The living processes under `root`, and itself."""
    parents = {int(name): stat(int(name))[1:2] for name in os.listdir("/proc") if name.isdigit()}
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent and int(parent[0]) in found} - found:
        found |= more
    return found


def cpu_seconds(root: int) -> float:
    """Used so far: by those that live and by those that their parents have waited for."""
    return sum(sum(map(int, stat(pid)[11:15])) for pid in family(root)) / TICKS


def megabytes(pids: set[int]) -> float:
    """Resident now; pages that several processes share count in each."""
    return sum(int(fields[21]) for pid in pids if (fields := stat(pid))) * PAGE / 1e6


def watch(command: list[str], marks: tuple[str, ...], **options: Any) -> Watched:
    """Run a command to its end and watch it; its standard output is read line by line."""
    seen = Watched()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        over = threading.Event()

        def look() -> None:
            pids, looks = {process.pid}, 0
            while not over.wait(EVERY):
                if looks % 10 == 0:
                    pids = family(process.pid)
                looks += 1
                seen.memory = max(seen.memory, megabytes(pids))

        looking = threading.Thread(target=look)
        looking.start()
        assert process.stdout is not None
        for line in process.stdout:
            word = line.strip()
            if word in marks:
                seen.cpu[word] = cpu_seconds(process.pid)
            seen.lines.append(word)
        over.set()
        looking.join()
    seen.status = process.returncode
    if seen.status:
        print(f"{' '.join(command)} ended with {seen.status}", file=sys.stderr)
    return seen
