"""One file must never stop the others: every kind of file, spoilt, among good ones. For `hostile_ground.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from conspectus import Library
from conspectus.records import AddReport
from helpers import open_library
from poisons import KINDS, LITTLE, SPOILT, file, whole

Case = tuple[str, Callable[[Path], str]]
GOOD = {
    "2good.md": ("markdown .md", "eels"),
    "5good.jsonl": ("jsonl .jsonl", "moss"),
    "8good.xml": ("jats .xml", "owls"),
}
PLACES = ("0", "4", "9")
"""How names begin: before the good files, between them and behind them."""


def cases() -> Iterator[Case]:
    """Each kind's smallest files, first, in the middle and last, and its good file spoilt in every way."""
    for number, (kind, (suffix, _)) in enumerate(KINDS.items()):
        little = {f"{name.replace(' ', '_')}{suffix}": file(kind, said) for name, said in LITTLE.items()}
        yield (
            f"{kind}: smallest files",
            partial(among, {place + name: little[name] for place in PLACES for name in little}),
        )
        spoilt = {
            f"{PLACES[(number + turn) % 3]}{name.replace(' ', '_')}{suffix}": spoil(file(kind, whole("mud")))
            for turn, (name, spoil) in enumerate(SPOILT.items())
        }
        yield f"{kind}: spoilt files", partial(among, spoilt)


def among(bad: Mapping[str, bytes], home: Path) -> str:
    """Add the files with good ones between, again, and by `retry`: the good ones are stored and found."""
    papers = home / "papers"
    papers.mkdir()
    for name, data in bad.items():
        (papers / name).write_bytes(data)
    for name, (kind, word) in GOOD.items():
        (papers / name).write_bytes(file(kind, whole(word)))
    names = sorted(papers.iterdir())
    with open_library(home / "library") as library:
        wrong = amiss(library, library.add(names), names)
        library.add(papers)
        library.retry(everything=True)
        return wrong or amiss(library, library.add(names), names)


def amiss(library: Library, report: AddReport, names: Sequence[Path]) -> str:
    """What is wrong with a library that these files were added to."""
    told = {Path(row.path).name: row for row in report.rows}
    if missing := {path.name for path in names} - told.keys():
        return f"not told of: {sorted(missing)}"
    for name, (_, word) in GOOD.items():
        if told[name].state not in ("stored", "indexed", "unchanged"):
            return f"{name} is {told[name].state}: {told[name].reason}"
        hits = library.search(f"{word} swim at night").hits
        if not hits or word not in hits[0].passage.text:
            return f"{name} is not found"
    for row in report.failed:
        if not row.reason or "fault of Conspectus" in row.reason or "failed:" in row.reason:
            return f"{Path(row.path).name}: no reason, or a fault of ours: {row.reason}"
    expected = ("files read", "model", "vectors")
    trouble = [found for found in library.doctor() if not found.ok and found.check not in expected]
    return f"doctor: {trouble[0]}" if trouble else ""
