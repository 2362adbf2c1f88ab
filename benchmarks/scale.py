"""A library of 100,000 abstracts, or of 350,000: how fast it fills, what memory that takes, how fast it is searched.

    python benchmarks/scale.py --papers 100000                     # the default embedder; half an hour and more
    python benchmarks/scale.py --papers 350000 --vectors static    # by static vectors
    python benchmarks/scale.py --papers 100000 --parts search more # of the library that an earlier run filled

The abstracts are those of `arxiv_astro`, `arxiv_topics`, `arxiv_cited_9394`, then of `arxiv_scale`. `fill` adds them to
a new library; the embedder's own rate is measured on some of the same texts before and after. `search` asks titles of
papers and made-up questions, warm: as the settings are, with all weights (and 30 passages re-ranked, as always), with
expansion by feedback, too, and with 250 re-ranked. `more` adds 1,000 further papers, from the start of the command to
the first search that finds them; that can be measured once for each `fill`. Each part is a process of its own.

With `static` the embedder is the program's own `static`; `models.vectors=after` begins with it.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import corpora

from conspectus import Library
from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.registry import make_static
from conspectus.models.store import ModelStore
from conspectus.records.events import Progress
from conspectus.settings.groups import ModelSettings

FILES = 20
"""The abstracts come in so many files."""
SAMPLE = 600
"""Texts by which the embedder's own rate is measured, before and after."""
QUERIES = 300
WEIGHTS = {f"search.{name}": True for name in ("keywords", "recency", "citations")}
WAYS: dict[str, dict[str, Any]] = {
    "search": {},
    "with all weights": WEIGHTS,
    "with all weights and feedback": {**WEIGHTS, "search.expand": "feedback"},
    "with all weights, 250 re-ranked": {**WEIGHTS, "search.candidates": 250, "search.rerank": 250},
}
MORE = 1000


def abstracts() -> Iterator[dict[str, Any]]:
    """Records of arXiv, each paper once."""
    data, seen = corpora.data_folder(), set()
    for path in (
        *sorted((data / "arxiv_astro").glob("*.gz")),
        *sorted((data / "arxiv_topics").glob("*.gz")),
        *sorted((data / "arxiv_cited_9394").glob("*.gz")),
        data / "arxiv_scale" / "arxiv_350k.jsonl.zst",
    ):
        for item in corpora.read_lines(path):
            name = str(item["id"]).removeprefix("arXiv:")
            if name not in seen and item.get("abstract"):
                seen.add(name)
                yield {**corpora.plain(item), "id": name}


def files(papers: int) -> list[Path]:
    """The first `papers` abstracts, and the `MORE` that follow as the last file."""
    folder = corpora.WORK / "scale" / f"files-{papers}"
    if not (folder / "more.jsonl").exists():
        found, size = abstracts(), -(-papers // FILES)
        for number in range(FILES):
            corpora.write_lines(
                folder / f"part-{number:02}.jsonl", list(islice(found, min(size, papers - number * size)))
            )
        corpora.write_lines(folder / "more.jsonl", islice(found, MORE))
    return sorted(folder.glob("part-*.jsonl"))


def opened(folder: Path, vectors: str) -> Library:
    return Library(folder, {"models.embedder": "static"} if vectors == "static" else None)


class Memory(threading.Thread):
    """Samples of this process's resident memory, in MB, with how far the work was."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done = 0.0
        self.samples: list[tuple[float, float, float]] = []
        self.start()

    def run(self) -> None:
        while True:
            said = Path("/proc/self/status").read_text("ascii")
            total, own = (int(re.search(rf"{name}:\s+(\d+)", said)[1]) / 1024 for name in ("VmRSS", "RssAnon"))
            self.samples.append((self.done, total, own))
            time.sleep(0.5)


def own(_: Path, papers: int, vectors: str) -> dict[str, Any]:
    """The embedder alone: texts a second, by as many threads as the program uses."""
    draw, texts = random.Random(1), []
    for path in files(papers):
        some = draw.sample(list(corpora.read_lines(path)), SAMPLE // FILES)
        texts += [f"{record['title']}\n{record['abstract']}" for record in some]
    embedder = make_static(ModelSettings()) if vectors == "static" else MiniLM(ModelStore().path(SPEC))
    embedder.embed_query("warm")
    began, cpu = time.perf_counter(), time.process_time()
    for _ in embedder.embed(texts):
        pass
    seconds = time.perf_counter() - began
    return {"rate": len(texts) / seconds, "cpu_rate": len(texts) / (time.process_time() - cpu)}


def fill(folder: Path, papers: int, vectors: str) -> dict[str, Any]:
    """Add all, and look at memory meanwhile."""
    memory = Memory()
    with opened(folder, vectors) as library:

        def tell(news: Progress) -> None:
            if news.stage == "adding":
                memory.done = news.done / news.total * papers

        began = time.perf_counter()
        report = library.add(files(papers), tell)
        seconds = time.perf_counter() - began
        count = library.status().counts
    assert not report.failed, report.failed
    samples = [sample for sample in memory.samples if sample[0] >= 1000]
    size = len(samples) // 10 or 1
    tenths = [samples[start : start + size] for start in range(0, size * 10, size)]
    return {
        "papers": count["papers"],
        "passages": count["passages"],
        "seconds": seconds,
        "written": int(re.search(r"wchar: (\d+)", Path("/proc/self/io").read_text("ascii"))[1]) / 1e9,
        "cpu": time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]),
        "rss": [round(sum(s[1] for s in tenth) / len(tenth)) for tenth in tenths if tenth],
        "anon": [round(sum(s[2] for s in tenth) / len(tenth)) for tenth in tenths if tenth],
        "most": max(sample[1] for sample in samples),
    }


def search(folder: Path, papers: int, vectors: str) -> dict[str, Any]:
    """Ask, warm, in each of the `WAYS`."""
    draw = random.Random(2)
    records = [record for path in files(papers)[::5] for record in islice(corpora.read_lines(path), 400)]
    asked = draw.sample(records, QUERIES + 20)
    found: dict[str, Any] = {"ways": {}}
    with opened(folder, vectors) as library:
        for way, settings in WAYS.items():
            took = []
            for number, record in enumerate(asked):
                words = re.findall(r"\w{4,}", record["abstract"])
                query = record["title"] if number % 2 else "What is known of " + " ".join(words[5:13]) + "?"
                prefer = words[-2:] if settings else ()
                began = time.perf_counter()
                result = library.search(query, settings=settings, prefer=prefer, plain=True)
                took.append(1000 * (time.perf_counter() - began))
                assert len(result.hits) == 10, query
                assert not settings or {"recency", "citations", "keywords"} <= result.hits[0].factors.keys()
            took = sorted(took[20:])
            found["ways"][way] = {"p50": took[len(took) // 2], "p95": took[int(0.95 * len(took))]}
    return {**found, "most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def more(folder: Path, papers: int, vectors: str) -> dict[str, Any]:
    """Add 1,000 further papers and find the last of them."""
    path = files(papers)[0].parent / "more.jsonl"
    *_, last = corpora.read_lines(path)
    with opened(folder, vectors) as library:
        report = library.add(path)
        assert not report.failed
        hits = library.search(last["title"]).hits
        assert any(hit.paper.external_id == last["id"] for hit in hits), last["title"]
    return {"most": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def part(name: str, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """One part in a process of its own: what it found."""
    command = [sys.executable, __file__, "--part", name, "--papers", str(options.papers), "--vectors", options.vectors]
    began = time.perf_counter()
    done = subprocess.run([*command, "--folder", str(folder)], stdout=subprocess.PIPE, text=True, check=True)
    return {"wall": time.perf_counter() - began, **json.loads(done.stdout.splitlines()[-1])}


def show_fill(found: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
    papers, passages, seconds = found["papers"], found["passages"], found["seconds"]
    print(f"filled: {papers:,} papers, {passages:,} passages in {seconds:,.0f} s, {papers / seconds:.1f} papers/s")
    first, last = before["rate"], after["rate"]
    ratio = passages / seconds / ((first + last) / 2)
    print(f"  the embedder alone {first:.1f} and {last:.1f} texts/s; passages/s to it {ratio:.3f} (limit 0.85)")
    first, last = before["cpu_rate"], after["cpu_rate"]  # tells more where the machine has other work
    ratio = passages / found["cpu"] / ((first + last) / 2)
    print(f"  of processor time: {first:.1f} and {last:.1f} texts/CPU-s; passages/CPU-s to it {ratio:.3f}")
    print(f"  memory by tenths from 1,000 papers on, MB: {found['rss']}")
    print(f"  its own pages among them: {found['anon']}; the most at any time {found['most']:.0f}")
    print(f"  written: {found['written']:.1f} GB (limit 30)")
    low, high = min(found["rss"]), max(found["rss"])
    middle = (low + high) / 2
    print(f"  that is {middle:.0f} MB ± {100 * (high - low) / 2 / middle:.0f} % (limit 15 %)")


def main() -> None:
    """Print the figures of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=100_000)
    parser.add_argument("--vectors", choices=["model", "static"], default="model")
    parser.add_argument("--parts", nargs="+", choices=["fill", "search", "more"], default=["fill", "search", "more"])
    parser.add_argument("--part", choices=["own", "fill", "search", "more"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        run = {"own": own, "fill": fill, "search": search, "more": more}[options.part]
        print(json.dumps(run(options.folder, options.papers, options.vectors)))
        return
    files(options.papers)
    folder = corpora.WORK / "scale" / f"library-{options.papers}-{options.vectors}"
    large = options.papers > 100_000
    if "fill" in options.parts:
        shutil.rmtree(folder, ignore_errors=True)
        before = part("own", options, folder)
        found = part("fill", options, folder)
        show_fill(found, before, part("own", options, folder))
        if large:
            print(f"  {found['seconds'] / 60:.1f} minutes (limit 10)")
    if "search" in options.parts:
        found = part("search", options, folder)
        limits = (40, 2000) if large else (150, 1500)
        for way, took in found["ways"].items():
            limit = f" (limit {limits[0]})" if way == "search" else ""
            print(f"{way}: p50 {took['p50']:.0f} ms, p95 {took['p95']:.0f} ms{limit}")
        print(f"  memory {found['most']:.0f} MB (limit {limits[1]})")
    if "more" in options.parts:
        found = part("more", options, folder)  # of a copy the index would be made again: it is another library's
        limit = " (limit 10)" if options.vectors == "static" else ", with their embedding"
        print(f"{MORE} more papers found after {found['wall']:.1f} s{limit}, memory {found['most']:.0f} MB")


if __name__ == "__main__":
    main()
