"""A worker with readers that misbehave, for the tests of the pool: its last argument is the memory limit in MB."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.core.errors import EncryptedError
from conspectus.parse.process.worker import main
from conspectus.parse.protocol import BadRecord, Item
from conspectus.records import Block, Metadata, ParsedPaper, Place, Sentence


@dataclass(frozen=True)
class Odd:
    name: str
    act: Callable[[Path], Iterator[Item]]
    version: int = 1
    suffixes: tuple[str, ...] = ()
    signatures: tuple[bytes, ...] = ()

    def read(self, path: Path) -> Iterator[Item]:
        return self.act(path)


def paper(title: str) -> ParsedPaper:
    block = Block("paragraph", "A b.", (Sentence(0, 4, (Place(1, (0.0, 1.0, 2.5, 3.0)),)),))
    return ParsedPaper(Metadata(title=title, extra={"n": 1, "deep": {"a": [None, 2.5]}}), (block,), 2, ("Odd.",))


def fine(path: Path) -> Iterator[Item]:
    print("noise on standard output", flush=True)
    os.write(1, b"more noise")
    yield paper(path.name)
    yield BadRecord("line 2", "It is bad.")


def many(path: Path) -> Iterator[Item]:
    for number in range(int(path.name)):
        yield paper(f"{os.getpid()} {number}")


def counted(path: Path) -> Iterator[Item]:
    with path.open("ab", buffering=0) as file:  # as many bytes as there are papers
        for _ in range(10_000):
            file.write(b".")
            yield paper("A long title. " * 200)


def sleepy(path: Path) -> Iterator[Item]:
    yield paper("first")
    time.sleep(600)


def spinning(path: Path) -> Iterator[Item]:
    yield paper("first")
    while True:
        pass


def endless(path: Path) -> Iterator[Item]:
    for number in range(2000):  # as good as none, and a test that fails ends
        yield from (paper(f"{number} {i}") for i in range(64))


def hungry(path: Path) -> Iterator[Item]:
    hoard = [bytearray(2**20 * 64) for _ in range(1000)]
    yield paper(str(len(hoard)))


def exits(path: Path) -> Iterator[Item]:
    yield paper("first")
    os._exit(3)


def segfaults(path: Path) -> Iterator[Item]:
    ctypes.string_at(0)
    yield paper("never")


def raises(path: Path) -> Iterator[Item]:
    yield paper("first")
    raise KeyError("colour")


def encrypted(path: Path) -> Iterator[Item]:
    raise EncryptedError(f"'{path.name}' asks for a password.", "Save it without one.")
    yield


def babbles(path: Path) -> Iterator[Item]:
    for fd in range(3, 20):
        try:
            os.write(fd, b"\x00\x00\x00\x05hello" * 10)
        except OSError:
            continue
    time.sleep(600)
    yield paper("never")


def surrogates(path: Path) -> Iterator[Item]:
    yield paper("\ud800")


def environment(path: Path) -> Iterator[Item]:
    yield paper(" ".join(sorted(os.environ)))


_ACTS = [fine, many, counted, sleepy, endless, hungry, exits, segfaults, raises, encrypted, babbles]
_ACTS += [surrogates, environment, spinning]
READERS = {act.__name__: Odd(act.__name__, act) for act in _ACTS}

if __name__ == "__main__":
    main(READERS.__getitem__, int(sys.argv[1]))
