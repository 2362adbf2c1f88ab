"""What a package that is not right may bring."""

from collections.abc import Iterator
from pathlib import Path

from conspectus.parse.protocol import Item


class WithoutEndings:
    name = "endless"
    version = 1
    one_paper = True
    suffixes: object = None
    signatures = ()

    def read(self, path: Path) -> Iterator[Item]:
        raise NotImplementedError


class OneEnding(WithoutEndings):
    """Its endings are the letters of a text, so that nearly every file has one of them."""

    name = "greedy"
    suffixes = ".note"


class Thief(WithoutEndings):
    """It has the name of another reader."""

    name = "text"
    suffixes = (".txt",)


def fail(*_: object, **__: object) -> None:
    raise ValueError("it cannot")


def leave(*_: object) -> None:
    raise SystemExit(7)
