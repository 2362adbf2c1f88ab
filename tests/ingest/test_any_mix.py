"""Any mix of files, each in turn replaced by what spoils it: exactly the rest is stored and found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conspectus import Library
from conspectus.core.errors import InputError
from conspectus.ingest import paper_plan
from conspectus.parse.process.pool import ParsedBatch, ReadingJob
from conspectus.records import ParsedPaper
from conspectus.store.rows import StoredDocument
from helpers import InlinePool, assert_consistent, open_library
from poisons import KINDS, LITTLE, SPOILT, file, make_paper

WORDS = ("eels", "moss", "owls", "ants")
NO_FILE = ("gone", "a pipe", "a link to nowhere", "a folder's name")
OURS = ("crash", "storing")
POISONS = (*LITTLE, *SPOILT, *NO_FILE, *OURS)

Mix = list[tuple[str, str]]
"""Kinds of files, each with the poison that it is replaced by when its turn comes."""
mixes = st.lists(st.tuples(st.sampled_from(list(KINDS)), st.sampled_from(POISONS)), min_size=2, max_size=len(WORDS))


class CrashingPool(InlinePool):
    """A pool whose children die of files that are called so."""

    def run(self, jobs: Iterable[ReadingJob]) -> Iterator[ParsedBatch]:
        for job in jobs:
            if "crash" in job.path:
                yield ParsedBatch(job, (), done=True, error=InputError("It crashed.", "Download it again."))
            else:
                yield from super().run([job])


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children that crash, and a fault of ours in storing whatever speaks of `storing`."""
    real = paper_plan.merge

    def merge(documents: Sequence[StoredDocument]) -> ParsedPaper:
        if "storing" in str(documents):
            raise IndexError("storing")
        return real(documents)

    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", CrashingPool)
    monkeypatch.setattr(paper_plan, "merge", merge)


def put(folder: Path, number: int, kind: str, poison: str = "") -> Path:
    """Write the file with this number of a mix, or what it is replaced by."""
    suffix, word = KINDS[kind][0], WORDS[number]
    path = folder / f"{number}{poison.replace(' ', '_')}{suffix}"
    if poison in SPOILT:
        path.write_bytes(SPOILT[poison](file(kind, make_paper(word))))
    elif poison == "a pipe":
        os.mkfifo(path)
    elif poison == "a link to nowhere":
        path.symlink_to(folder / "nowhere")
    elif poison == "a folder's name":
        path.mkdir()
    elif poison != "gone":
        path.write_bytes(file(kind, LITTLE[poison] if poison in LITTLE else make_paper(poison or word)))
    return path


def assert_the_rest(library: Library, good: dict[Path, str]) -> None:
    """Each good file is one paper, whose passages are found."""
    owners = {file.path: paper.id for paper in library.papers() for file in paper.files}
    for path, word in good.items():
        assert str(path) in owners, f"{path.name} is not stored"
        passages = [hit.passage for hit in library.search(f"{word} swim at night", k=10).hits]
        assert any(p.paper_id == owners[str(path)] and word in p.text for p in passages), f"{path.name} is not found"
    assert not [row for row in library.status().files if row.path in map(str, good) and row.reason]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes")
@pytest.mark.usefixtures("hostile")
@settings(
    max_examples=settings.default.max_examples // 5, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(mix=mixes, backwards=st.booleans())
def test_each_file_in_turn_is_poisoned_and_the_rest_is_stored(mix: Mix, backwards: bool) -> None:
    """Whatever one file of a folder is, the user gets all others, at once and at each later call."""
    for turn, (_, poison) in enumerate(mix):
        with tempfile.TemporaryDirectory() as home:
            folder = Path(home, "papers")
            folder.mkdir()
            paths = [put(folder, n, kind, poison if n == turn else "") for n, (kind, _) in enumerate(mix)]
            good = {path: WORDS[n] for n, path in enumerate(paths) if n != turn}
            with open_library(Path(home, "library")) as library:
                for _ in range(2):
                    report = library.add(paths[::-1] if backwards else paths)
                    assert not {row.path for row in report.failed} & set(map(str, good))
                    assert_the_rest(library, good)
                library.retry(everything=True)
                assert_the_rest(library, good)
                extra = {paper.id for paper in library.papers()} - {
                    paper.id for paper in library.papers() if {f.path for f in paper.files} & set(map(str, good))
                }
                assert len(extra) <= 1, "more was stored than there is"
                assert_consistent(library)
