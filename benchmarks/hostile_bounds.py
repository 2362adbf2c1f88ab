"""Hostile cases of bounds: answers without end, pipes and links, damaged settings and rows."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import tests_path  # noqa: F401 - cases use what the tests make
from hostile_outcome import memory_mb

from conspectus.core.errors import ConspectusError
from conspectus.core.http import NoAnswerError, once
from conspectus.models.remote import OllamaEmbedder, OpenAIEmbedder
from conspectus.models.rerankers.served import ServedReranker
from conspectus.parse.grobid import Grobid
from conspectus.sources.crossref import Crossref
from helpers import markdown, open_library
from hostile_server import ANSWERS, HEADS, bomb, hostile
from test_regular_files import READS
from test_transport import _said

Case = tuple[str, Callable[[Path], str]]
MOST_SECONDS = 2.0
MOST_GROWTH_MB = 300.0
SLOW = ("drops", *HEADS)


def cases() -> Iterator[Case]:
    """See `hostile_ground`."""
    yield from _answers()
    yield from _files()
    yield from _settings()
    yield from _rows()
    yield from _index()


# answers


def _clients(url: str, folder: Path) -> dict[str, Callable[[], object]]:
    pdf = folder / "a.pdf"
    pdf.write_bytes(b"%PDF-1.4")
    return {
        "embedder": lambda: OpenAIEmbedder(url, "m", timeout=20).embed_query("a"),
        "ollama": lambda: OllamaEmbedder(url, "m", timeout=20).embed_query("a"),
        "reranker": lambda: ServedReranker(url, "m", timeout=20).scores("a", ["b"]),
        "crossref": lambda: Crossref(url, timeout=20).work("10.1/x"),
        "grobid": lambda: Grobid(url, seconds=20, patience=1).read(pdf),
        "model": lambda: asyncio.run(_said(url, streamed=False)),
        "stream": lambda: asyncio.run(_said(url, streamed=True)),
    }


def _answers() -> Iterator[Case]:
    bomb(), bomb(layers=2), bomb(kind=15)  # made now, in memory that is not counted
    for answer in ANSWERS:
        if answer not in SLOW:
            for client in ("embedder", "ollama", "reranker", "crossref", "grobid", "model", "stream"):
                yield f"answer {answer} to {client}", partial(_answer, answer, client)
    for answer in SLOW:
        yield f"answer {answer} in time", partial(_in_time, answer)


def _answer(answer: str, client: str, folder: Path) -> str:
    before = memory_mb("self", "VmRSS")
    with hostile(answer) as server:
        try:
            _clients(server.url, folder)[client]()
        except ConspectusError:
            grown = memory_mb("self", "VmHWM") - before
            return f"{grown:.0f} MB more" if grown > MOST_GROWTH_MB else ""
    return "it was taken for an answer"


def _in_time(answer: str, _folder: Path) -> str:
    began = time.monotonic()
    with hostile(answer) as server:
        try:
            once("GET", server.url, timeout=1.0)
        except NoAnswerError:
            took = time.monotonic() - began
            return f"{took:.1f} s" if took > 1.0 + MOST_SECONDS else ""
    return "it was taken for an answer"


# pipes, devices and links


def _files() -> Iterator[Case]:
    for name, read in READS.items():
        yield f"pipe: {name}", partial(_pipe, read)
    for device in ("/dev/zero", "/dev/random", "/dev/null", "/dev/stdin"):
        yield f"device: {device}", partial(_device, device)
    for ending in (".md", ".pdf", ".jsonl", ".bib"):
        yield f"pipe named: {ending}", partial(_named_pipe, ending)
    for kind in ("link", "chain", "folder", "dots", "absolute"):
        yield f"way out: {kind}", partial(_way_out, kind)


def _pipe(read: Callable[[Path], object], folder: Path) -> str:
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("it waits")))
    signal.alarm(20)
    try:
        read(folder)
    except ConspectusError:
        return ""
    finally:
        signal.alarm(0)
    return "it was read"


def _device(device: str, folder: Path) -> str:
    return _told(_run(folder, "add", device), 1, "regular file")


def _named_pipe(ending: str, folder: Path) -> str:
    os.mkfifo(folder / f"a{ending}")
    (folder / "good.md").write_text(markdown("Paper", "It says this."), "utf-8")
    with open_library(folder / "lib") as library:
        report = library.add([folder / f"a{ending}", folder / "good.md"])
    return "" if len(report.added) == 1 and "regular file" in report.failed[0].reason else str(report)


def _way_out(kind: str, folder: Path) -> str:
    inside, outside = folder / "in", folder / "out"
    for place in (inside, outside):
        place.mkdir()
    secret = outside / "secret.html"
    secret.write_text("<html><h1>Diary</h1><p>Quokka words of mine stand here, and more of them.</p></html>", "utf-8")
    (inside / "good.md").write_text(markdown("Paper", "It says this."), "utf-8")
    named = {"dots": "../out/secret.html", "absolute": str(secret)}.get(kind)
    if named:
        record = f"@article{{a, title = {{T}}, year = 1999, file = {{:{named}:text/html}}}}"
        (inside / "a.bib").write_text(record, "utf-8")
    else:
        (inside / "one").symlink_to(outside if kind == "folder" else secret)
        (inside / "two.html").symlink_to(inside / "one")
    with open_library(folder / "lib") as library:
        report = library.add(inside)
        read = " ".join(passage.text for paper in library.papers() for passage in library.passages(paper.id))
    if "Quokka" in read or not report.added:
        return f"it was read: {report}"
    said = [row.reason for row in report.failed] + [note for row in report.added for note in row.notes]
    return "" if kind == "folder" or any("sources.roots" in text for text in said) else f"not told: {said}"


# settings, rows and manifests


def _settings() -> Iterator[Case]:
    for name, text in {
        "deep array": b"a = " + b"[" * 100_000,
        "deep table": b"a = " + b"{b=" * 100_000,
        "deep key": b"a" + b".a" * 100_000 + b" = 1",
        "number": b"a = " + b"9" * 100_000,
        "number of a setting": b"[passages]\nchars = " + b"9" * 5000,
        "no UTF-8": b"a = '\xff'",
        "NUL": b"a = '\x00'",
        "large": b"#" * 2**25,
        "infinite": b"[passages]\nchars = inf",
        "not a number": b"[passages]\nchars = nan",
        "date": b"[passages]\nchars = 1999-01-01",
    }.items():
        yield f"settings: {name}", partial(_set, text)


def _set(text: bytes, folder: Path) -> str:
    (folder / "lib").mkdir()
    (folder / "lib" / "conspectus.toml").write_bytes(text)
    return _told(_run(folder, "config"), 2, "")


def _rows() -> Iterator[Case]:
    for table, column in (
        ("papers", "metadata"), ("papers", "title"), ("papers", "year"), ("papers", "id"), ("passages", "text"),
        ("passages", "spans"), ("vectors", "vector"), ("token_vectors", "starts"), ("files", "notes"),
        ("documents", "parsed"), ("files", "path"),
    ):  # fmt: skip
        for name, value in (("blob", b"\xff\x00\xfe"), ("deep", b"\x91" * 100_000), ("number", 2**62)):
            yield f"row: {table}.{column} {name}", partial(_row, table, column, value)


def _row(table: str, column: str, value: object, folder: Path) -> str:
    (folder / "a.md").write_text(markdown("Paper", "It says that eels climb. They do."), "utf-8")
    with open_library(folder / "lib") as library:
        library.add(folder / "a.md")
    connection = sqlite3.connect(folder / "lib" / "catalog.sqlite")
    connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))
    connection.commit()
    connection.close()
    wrong = []
    for words in (("list",), ("--json", "status"), ("export", "--to", "bibtex"), ("doctor",)):
        done = _run(folder, *words)
        if done.returncode not in (0, 1, 2, 4) or "should not" in done.stderr or "Traceback" in done.stderr:
            wrong.append(f"{words}: {done.returncode} {done.stderr[-300:]}")
        if words == ("doctor",) and done.returncode == 0:
            wrong.append("doctor finds it well")
    return "; ".join(wrong)


def _index() -> Iterator[Case]:
    for name, text in {
        "deep": b"[" * 200_000, "number": b'{"format": ' + b"9" * 10_000 + b"}", "null": b"null", "list": b"[1]",
        "strings": b'{"format": "x", "rows": "y"}', "empty": b"", "no UTF-8": b"\xff\xfe",
    }.items():  # fmt: skip
        for file in ("CURRENT", "manifest.json", "text/meta.json"):
            yield f"index: {file} {name}", partial(_manifest, file, text)


def _manifest(file: str, text: bytes, folder: Path) -> str:
    (folder / "a.md").write_text(markdown("Paper", "It says that eels climb. They do."), "utf-8")
    with open_library(folder / "lib") as library:
        library.add(folder / "a.md")
        current = library.folder / "index" / "CURRENT"
        place = current if file == "CURRENT" else current.parent / current.read_text().strip() / file
        place.write_bytes(text)
    with open_library(folder / "lib") as library:
        try:
            library.search("eels")
        except ConspectusError as error:
            if error.exit_code != 4:
                return f"exit code {error.exit_code}: {error}"
        library.reindex()
        return "" if library.search("eels").hits else "nothing is found after reindex"


def _started(folder: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "conspectus", "--library", str(folder / "lib"), *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(command, text=True, errors="replace", env={**os.environ, **env}, **pipes)


def _run(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    process = _started(folder, *words, **env)
    out, said = process.communicate(timeout=120)
    return subprocess.CompletedProcess(words, process.returncode, out, said)


def _told(done: subprocess.CompletedProcess[str], code: int, words: str) -> str:
    if done.returncode != code or "Traceback" in done.stderr or "should not" in done.stderr:
        return f"exit code {done.returncode}: {done.stderr[-300:]}"
    return "" if words in done.stdout + done.stderr else f"not told: {done.stdout[-300:]}{done.stderr[-300:]}"
