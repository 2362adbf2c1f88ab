"""Vectors of very many passages: how fast the embedded engine's lists are built and searched, and in what memory.

    python benchmarks/vectors_at_scale.py --rows 1000000 --diskann
    python benchmarks/vectors_at_scale.py --rows 10000000

Real vectors of that many texts would take days, so they are drawn: from a mixture of 64 normal distributions fitted to
the default model's vectors of 8,500 abstracts of `arxiv_scale`. How alike neighbours are among as many real and drawn
vectors is printed: drawn ones are a little less alike, so that they are harder to find. Only the vector half of the
index is made, as `index.vectors` makes it; what is exact is found by float32 while vectors are drawn.

Each part is a process of its own: `draw` (files of a generation), `build` (the lists; `--kill N`: killed after N blocks
and run again), `search` (one thread, warm; also with filters that 10, 1 and 0.1 % of rows pass), and `flat`, the scan
of all codes that smaller libraries have, up to 2,000,000 rows. `--diskann`: the same vectors in DiskANN
(`pip install diskannpy-rust`), up to 2,000,000 rows too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import corpora
import faiss
import numpy as np
from results import Figure, join_figures, store_figures

from conspectus.index import vector_lists, vectors
from conspectus.index.index_files import checksum
from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.store import ModelStore

REAL, MIXTURE, QUERIES, K = 8500, 64, 200, 10
PASSING = {"all": 1, "10 %": 10, "1 %": 100, "0.1 %": 1000}
"""One row of so many passes a filter."""
MILLISECONDS, MEMORY, RECALL = 100, 4.0, 0.95
"""The limits at 10,000,000 rows: p95, GB, recall@10."""
MOST_FLAT = 2_000_000
FOLDER = corpora.WORK / "vectors"


def read_real() -> Any:
    """Vectors of real abstracts, float32 [REAL, 384]."""
    path = FOLDER / "real.npy"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        records = corpora.read_lines(corpora.data_folder() / "arxiv_scale" / "arxiv_350k.jsonl.zst")
        texts = [f"{one['title']}\n{one['abstract']}" for one in islice(records, 0, 40 * REAL, 40)]
        np.save(path, np.stack([one.vector for one in MiniLM(ModelStore().path(SPEC)).embed(texts)]))
    return np.load(path)


class Mixture:
    """A mixture of normal distributions: a mean each, and its own covariance half and half with that of all."""

    def __init__(self, real: Any) -> None:
        found = faiss.Kmeans(real.shape[1], MIXTURE, niter=20, seed=1, spherical=True, verbose=False)
        found.train(real)
        of = found.index.search(real, 1)[1][:, 0]
        means = np.stack([real[of == one].mean(axis=0) for one in range(MIXTURE)])
        shared = np.cov((real - means[of]).T)
        self.means, self.shares = means.astype(np.float32), np.bincount(of, minlength=MIXTURE) / len(of)
        self.factors = []
        for one in range(MIXTURE):
            own = np.cov((real[of == one] - means[one]).T)
            values, directions = np.linalg.eigh((own + shared) / 2)
            self.factors.append((directions * np.sqrt(np.maximum(values, 0))).T.astype(np.float32))

    def draw(self, count: int, seed: int) -> Any:
        """Unit vectors, float32 [count, dimensions], in random order."""
        chance = np.random.default_rng(seed)
        of = np.sort(chance.choice(MIXTURE, count, p=self.shares))
        made = chance.standard_normal((count, self.means.shape[1]), np.float32)
        for one in range(MIXTURE):
            rows = slice(*np.searchsorted(of, [one, one + 1]))
            made[rows] = made[rows] @ self.factors[one] + self.means[one]
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made[chance.permutation(count)]


def likeness(some: Any) -> str:
    """How alike each vector's nearest and tenth neighbour are, as medians."""
    near = np.sort(some @ some.T, axis=1)
    return f"{np.median(near[:, -2]):.3f} and {np.median(near[:, -11]):.3f}"


def draw(folder: Path, rows: int, diskann: bool) -> dict[str, Any]:
    """Write the files of a generation, with what is exact; and the vectors as DiskANN reads them."""
    real = read_real()
    mixture = Mixture(real)
    print(f"nearest and tenth neighbour of {REAL:,}: real {likeness(real)}, drawn {likeness(mixture.draw(REAL, 7))}")
    queries = mixture.draw(QUERIES, 5)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = vectors.RowFiles(folder, real.shape[1])
    best = {name: (np.full((QUERIES, K), -2, np.float32), np.zeros((QUERIES, K), np.int64)) for name in PASSING}
    with (folder / "codes").open("wb") as codes, (folder / "float.bin").open("wb") as exact:
        if diskann:
            exact.write(np.array([rows, real.shape[1]], np.int32).tobytes())
        for start in range(0, rows, vector_lists.BLOCK):
            some = mixture.draw(min(vector_lists.BLOCK, rows - start), 100 + start)
            codes.write(files._codes.sa_encode(some).tobytes())
            if diskann:
                exact.write(some.tobytes())
            likenesses, every = queries @ some.T, np.arange(start, start + len(some))
            for name, part in PASSING.items():
                of = every % part == 0
                scores = np.concatenate([best[name][0], likenesses[:, of]], axis=1)
                numbers = np.concatenate([best[name][1], np.broadcast_to(every[of], (QUERIES, of.sum()))], axis=1)
                order = np.argpartition(-scores, K - 1, axis=1)[:, :K]
                best[name] = np.take_along_axis(scores, order, 1), np.take_along_axis(numbers, order, 1)
    every = np.arange(rows)
    (folder / "keys").write_bytes(every.astype(np.int64).tobytes())
    (folder / "papers").write_bytes(every.astype(np.int64).tobytes())
    (folder / "years").write_bytes((1990 + every % 30).astype(np.int16).tobytes())
    (folder / "kinds").write_bytes(bytes(rows))
    (folder / "full_text").write_bytes(bytes(rows))
    np.savez(folder / "truth.npz", queries=queries, **{name: numbers for name, (_, numbers) in best.items()})
    return {}


def build(folder: Path, rows: int, kill: int) -> dict[str, Any]:
    """Make the lists; `kill`: end this process after so many blocks, as a killed one ends."""
    files = vectors.RowFiles(folder, 384)
    if kill:
        write = vector_lists._write_part

        def count_down(*given: Any) -> None:
            nonlocal kill
            write(*given)
            kill -= 1
            if not kill:
                os._exit(9)

        vector_lists._write_part = count_down
    began, cpu = time.perf_counter(), time.process_time()
    codes = np.memmap(folder / "codes", np.uint8, "r").reshape(rows, -1)
    vector_lists.build_lists(codes, files.decode, folder / "work", folder / "lists" / "1")
    size = sum(path.stat().st_size for path in (folder / "lists").rglob("*") if path.is_file())
    return {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu, "bytes": size}


def search(folder: Path, rows: int, has_lists: bool) -> dict[str, Any]:
    """Recall and milliseconds of the engine's own searcher."""
    names = [*(folder / name for name in vectors.Columns.__slots__), *(folder / "lists" / "1").iterdir()]
    names += [] if has_lists else [folder / "codes"]
    sums = {path.relative_to(folder).as_posix(): checksum(path) for path in names}
    facts = vectors.ListFacts("1", rows) if has_lists else None
    searcher = vectors.VectorSearcher(folder, rows, 384, sums, facts)
    return {**measure(folder, rows, lambda vector, mask: [one.key for one in searcher.search(vector, K, mask)])}


def measure(folder: Path, rows: int, find: Any) -> dict[str, Any]:
    """Milliseconds and recall@10 for each filter, of what finds keys by a vector and a mask."""
    truth, found = np.load(folder / "truth.npz"), {}
    every = np.arange(rows)
    for name, part in PASSING.items():
        mask = None if part == 1 else every % part == 0
        took, spent, hits = [], [], 0
        for number, vector in enumerate([*truth["queries"][:20], *truth["queries"]]):
            began, cpu = time.perf_counter(), time.thread_time()
            keys = find(vector, mask)
            took.append(1000 * (time.perf_counter() - began))
            spent.append(1000 * (time.thread_time() - cpu))
            hits += len(set(keys) & set(truth[name][number - 20].tolist())) if number >= 20 else 0
            assert mask is None or all(mask[key] for key in keys), "what passes is exact"
        found[name] = {**percentiles(took, spent), "recall": hits / QUERIES / K}
    said = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("ascii").splitlines())
    memory = {name: int(said[key].split()[0]) / 2**20 for name, key in (("memory", "VmHWM"), ("own", "RssAnon"))}
    return {"ways": found, **memory}


def percentiles(took: list[float], spent: list[float]) -> dict[str, float]:
    """Of milliseconds by the clock and of the processor, without the first 20."""
    took, spent = sorted(took[20:]), sorted(spent[20:])
    middle, high = len(took) // 2, int(0.95 * len(took))
    return {"p50": took[middle], "p95": took[high], "cpu50": spent[middle], "cpu95": spent[high]}


def diskann(folder: Path) -> dict[str, Any]:
    """DiskANN with the same vectors, its usual settings; it has no filters."""
    import diskannpy

    target = folder / "diskann"
    target.mkdir(exist_ok=True)
    began, cpu = time.perf_counter(), time.process_time()
    options = {"complexity": 75, "graph_degree": 48, "build_memory_maximum": 8.0, "num_of_pq_chunks": 96}
    diskannpy.build_disk_index(
        str(folder / "float.bin"), "l2", str(target), num_threads=2, vector_dtype=np.float32, **options
    )
    built = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}
    index = diskannpy.StaticDiskIndex(str(target), num_threads=1, num_nodes_to_cache=10_000, beam_width=4)
    truth, took, spent, hits = np.load(folder / "truth.npz"), [], [], 0
    for number, vector in enumerate([*truth["queries"][:20], *truth["queries"]]):
        began, cpu = time.perf_counter(), time.process_time()
        keys = index.search(vector, K, 64).identifiers.tolist()
        took.append(1000 * (time.perf_counter() - began))
        spent.append(1000 * (time.process_time() - cpu))
        hits += len(set(keys) & set(truth["all"][number - 20].tolist())) if number >= 20 else 0
    own = {**percentiles(took, spent), "recall": hits / QUERIES / K}
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {**built, "bytes": size, "ways": {"all": own}, "memory": memory}


def part(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One part in a process of its own: what it found, and the most memory it took, in GB."""
    command = [sys.executable, __file__, "--part", name, "--rows", str(options.rows), "--kill", str(options.kill)]
    command += ["--diskann"] if options.diskann else []
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if name == "build" and options.kill and done.returncode == 9:
        print(f"killed after {options.kill} blocks; again:")
        return part(name, argparse.Namespace(**{**vars(options), "kill": 0}))
    assert done.returncode == 0, (name, done.returncode)
    *said, last = done.stdout.splitlines()
    print("\n".join(said), end="\n" if said else "")
    return dict(json.loads(last))


def show(name: str, found: dict[str, Any]) -> None:
    """A line for each filter."""
    for way, one in found["ways"].items():
        cpu = f"of the processor {one['cpu50']:.1f} and {one['cpu95']:.1f}"
        print(f"{name}, {way} of rows: p50 {one['p50']:.1f} ms, p95 {one['p95']:.1f} ms", end=", ")
        print(f"{cpu}, recall@10 {one['recall']:.3f}")
    own = f", {found['own']:.2f} GB its own" if "own" in found else ""
    print(f"{name}: memory {found['memory']:.2f} GB{own} (limit {MEMORY:g} GB)")


def main() -> None:
    """Print the figures of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--diskann", action="store_true")
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("--parts", nargs="+", default=["draw", "build", "search", "flat", "diskann"])
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder, rows = FOLDER / str(options.rows), options.rows
    if options.part:
        run = {
            "draw": lambda: draw(folder, rows, options.diskann),
            "build": lambda: build(folder, rows, options.kill),
            "search": lambda: search(folder, rows, True),
            "flat": lambda: search(folder, rows, False),
            "diskann": lambda: diskann(folder),
        }[options.part]
        found = run()
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(json.dumps({"memory": most, **found}))
        return
    peers: list[str] = []
    if "draw" in options.parts:
        part("draw", options)
    if "build" in options.parts:
        built = part("build", options)
        size = built["bytes"] / rows
        print(f"{rows:,} rows in lists after {built['seconds']:,.0f} s ({built['cpu']:,.0f} of the processor)", end="")
        print(f", {size:.0f} bytes a row, memory {built['memory']:.2f} GB")
    mine = part("search", options)
    show("lists", mine)
    if "flat" in options.parts and rows <= MOST_FLAT:
        flat = part("flat", options)
        show("all codes", flat)
        peers.append(f"all codes {flat['ways']['all']['p95']:.0f} ms, {flat['ways']['all']['recall']:.3f}")
    if options.diskann and "diskann" in options.parts and rows <= MOST_FLAT:
        peer = part("diskann", options)
        show("DiskANN", peer)
        print(f"DiskANN: built in {peer['seconds']:,.0f} s, {peer['bytes'] / rows:,.0f} bytes a row")
        peers.append(f"DiskANN {peer['ways']['all']['p95']:.0f} ms, {peer['ways']['all']['recall']:.3f}")
    every = mine["ways"]["all"]
    narrow = min(one["recall"] for one in mine["ways"].values())
    figures = [
        Figure(
            f"{rows:,} vectors, lists on disk, p95",
            f"{every['p95']:.1f} ms ({every['cpu95']:.1f} of the processor)",
            f"≤ {MILLISECONDS} ms",
            "; ".join(peers),
        ),
        Figure("… recall@10; the least with filters", f"{every['recall']:.3f}; {narrow:.3f}", f"≥ {RECALL}"),
        Figure("… memory", f"{mine['memory']:.2f} GB", f"≤ {MEMORY:g} GB"),
    ]
    flags = " --diskann" if options.diskann else ""
    command = f"python benchmarks/vectors_at_scale.py --rows {rows}{flags}"
    store_figures("vectors_at_scale", "speed", command, [join_figures("Vectors in lists on disk", figures)])


if __name__ == "__main__":
    main()
