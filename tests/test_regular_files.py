"""What is read is a file: a pipe or a device in its place is refused and told, and nobody waits for it."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from conspectus.core import disk
from conspectus.core.errors import ConspectusError
from conspectus.evaluation.set_files import read_question_file
from conspectus.index.embedded_engine import EmbeddedIndex
from conspectus.ingest.files import find_files
from conspectus.library import backup
from conspectus.llm.prompts import Prompts
from conspectus.models.languages.registry import language_model
from conspectus.models.minilm import SPEC
from conspectus.models.store import ModelStore
from conspectus.parse.process.pool import Limits
from conspectus.parse.references.files import references_of
from conspectus.settings import load_settings
from helpers import markdown, open_library, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names there")


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """A read that waits for a pipe's other end fails instead."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError("it waits for the pipe")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


def _store(folder: Path) -> object:
    store = ModelStore(folder)
    pipe(store.folder(SPEC) / "manifest.json")
    return store.path(SPEC)


def _pointed(folder: Path) -> object:
    pipe(folder / "index" / "CURRENT")
    return EmbeddedIndex(folder / "index").stats()


READS: dict[str, Callable[[Path], object]] = {
    "settings": lambda folder: load_settings(pipe(folder / "conspectus.toml").parent),
    "prompt": lambda folder: Prompts(pipe(folder / "prompts" / "judge.md").parent).get("judge"),
    "references.txt": lambda folder: references_of(pipe(folder / "a.txt"), Limits()),
    "references.bib": lambda folder: references_of(pipe(folder / "a.bib"), Limits()),
    "references.pdf": lambda folder: references_of(pipe(folder / "a.pdf"), Limits()),
    "references.json": lambda folder: references_of(pipe(folder / "a.json"), Limits()),
    "questions": lambda folder: read_question_file(pipe(folder / "a.jsonl")),
    "questions.gz": lambda folder: read_question_file(pipe(folder / "a.jsonl.gz")),
    "backup": lambda folder: backup.opened(pipe(folder / "a.zip"), folder).__enter__(),
    "gguf": lambda folder: language_model(f"local:{pipe(folder / 'a.gguf')}", load_settings(None, {}).language),
    "store": _store,
    "index": _pointed,
}


@pytest.mark.parametrize("name", READS)
def test_a_pipe_in_a_file_s_place_is_refused(name: str, tmp_path: Path) -> None:
    """The program would wait for ever, without a word."""
    with pytest.raises(ConspectusError):
        READS[name](tmp_path)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev/null", "/dev/fd", "/"])
def test_a_device_is_no_file(device: str) -> None:
    """`/dev/zero` never ends, and a terminal waits for what is typed."""
    with pytest.raises(OSError):
        disk.open_file(device).close()


def test_links_out_of_a_walked_folder(tmp_path: Path) -> None:
    """A folder from somebody else, with a link to this user's own files in it, would have them read."""
    folder, outside, allowed = tmp_path / "papers", tmp_path / "private", tmp_path / "zotero"
    for place in (folder, outside, allowed):
        place.mkdir()
        write(place / "own.md", markdown("Paper", "It says this."))
    (folder / "out.md").symlink_to(outside / "own.md")
    (folder / "chain.md").symlink_to(folder / "out.md")
    (folder / "in.md").symlink_to(folder / "own.md")
    (folder / "rooted.md").symlink_to(allowed / "own.md")
    (folder / "others").symlink_to(outside)
    (folder / "round").symlink_to(folder)
    found = {Path(one.path).name: one for one in find_files([folder], lambda _: True, roots=[str(allowed)])}
    assert {name for name, one in found.items() if one.problem} == {"out.md", "chain.md", "others"}
    assert "link out of the folder" in found["out.md"].problem
    pattern = find_files([str(folder / "*.md")], lambda _: True)
    assert {Path(one.path).name for one in pattern if one.problem} == {"out.md", "chain.md", "rooted.md"}
    named = list(find_files([folder / "out.md"], lambda _: True))
    assert [one.problem for one in named] == [""], "who names a link means what it leads to"
    with open_library(tmp_path / "lib") as library:
        report = library.add(folder)
        assert {Path(row.path).name for row in report.failed} == {"out.md", "chain.md", "rooted.md", "others"}
        assert any("sources.roots" in row.reason for row in report.failed)


def test_files_that_records_elsewhere_name(tmp_path: Path) -> None:
    """A bibliography from somebody else would gather what lies all over the disk."""
    outside = tmp_path / "private" / "thesis.html"
    outside.parent.mkdir()
    write(outside, "<html><body><h1>Thesis</h1><p>Secret words of it stand here.</p></body></html>")
    bib = tmp_path / "bib" / "refs.bib"
    bib.parent.mkdir()
    (bib.parent / "inside.html").symlink_to(outside)
    for named in (str(outside), "../private/thesis.html", "inside.html"):
        write(bib, f"@article{{a, title = {{Paper}}, year = 1980, file = {{:{named}:text/html}}}}\n")
        with open_library(tmp_path / f"lib{len(named)}") as library:
            report = library.add(bib)
            assert [Path(row.path).name for row in report.added] == ["refs.bib"]
            assert any("outside the folder of the record" in note for note in report.added[0].notes)
            assert not any(
                "Secret" in passage.text for paper in library.papers() for passage in library.passages(paper.id)
            )
    roots = f"{tmp_path / 'none'}{os.pathsep}{outside.parent}"
    with open_library(tmp_path / "lib", sources__roots=roots) as library:
        assert [Path(row.path).name for row in library.add(bib).added] == ["refs.bib", "inside.html"]
