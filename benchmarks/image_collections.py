"""A collection of 20,302 images: added with three kills -9 in between, searched, and near-duplicates found.

    PYTHONPATH=src python benchmarks/image_collections.py [IMAGES]

The images are made of those of the shared set `figure_classes` (cut, turned, mirrored, lightened) in a temporary
folder. Each figure is held against its limit, and the search against faiss's flat index of float32 in the same run.
"""

from __future__ import annotations

import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from sqlite3 import connect

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

DATA = Path(os.environ.get("CONSPECTUS_DATA", "../shared/data")) / "figure_classes" / "img"
IMAGES = 20_302
KILLS = (0.2, 0.5, 0.8)
QUERIES = 200
LIMIT_MS, LIMIT_MB = 30.0, 500.0


def varied(folder: Path, sources: list[Path], number: int) -> None:
    """Another picture of the same kind: a part of one, turned, mirrored, lightened."""
    rng = random.Random(number)
    image = Image.open(sources[number % len(sources)]).convert("RGB")
    image.thumbnail((420, 420))
    share = rng.uniform(0.5, 0.9)
    width, height = max(8, int(image.width * share)), max(8, int(image.height * share))
    x, y = rng.randint(0, max(0, image.width - width)), rng.randint(0, max(0, image.height - height))
    image = image.crop((x, y, x + width, y + height)).rotate(90 * rng.randrange(4), expand=True)
    image = ImageOps.mirror(image) if rng.random() < 0.5 else image
    ImageEnhance.Brightness(image).enhance(rng.uniform(0.7, 1.3)).save(folder / f"{number:05}.jpg", quality=85)


def copied(image: Image.Image) -> dict[str, Image.Image]:
    """Copies that are nearly the same."""
    held = io.BytesIO()
    image.save(held, "JPEG", quality=50)
    noise = np.random.default_rng(1).normal(0, 6, (image.height, image.width, 3))
    return {
        "as it is": image,
        "JPEG of quality 50": Image.open(io.BytesIO(held.getvalue())),
        "half as large": image.resize((max(1, image.width // 2), max(1, image.height // 2))),
        "lighter by 15 %": ImageEnhance.Brightness(image).enhance(1.15),
        "with noise": Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype(np.uint8)),
        "cut by 4 %": ImageOps.crop(image, int(min(image.size) * 0.04)),
    }


def command(library: Path, folder: Path, name: str) -> list[str]:
    verb = ["images", "add", str(folder), "--collection", name, "--json"]
    return [sys.executable, "-m", "conspectus", "--library", str(library), *verb]


def stored(library: Path) -> int:
    try:
        with closing(connect(f"file:{library / 'catalog.sqlite'}?mode=ro", uri=True)) as file:
            return int(file.execute("SELECT count(*) FROM images").fetchone()[0])
    except Exception:  # noqa: BLE001 - it is not made yet
        return 0


def memory(pid: int, name: str = "VmRSS") -> float:
    """MB."""
    try:
        text = Path(f"/proc/{pid}/status").read_text("ascii")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(name)), 0.0)


def run(library: Path, folder: Path, until: Callable[[], bool]) -> tuple[subprocess.Popen[bytes], list[float]]:
    """`images add`, until it ends or `until` says; its memory twice a second."""
    process = subprocess.Popen(
        command(library, folder, name="bench"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    taken = []
    while process.poll() is None and not until():
        time.sleep(0.5)
        taken.append(memory(process.pid))
    return process, [one for one in taken if one]


def adding(library: Path, folder: Path, count: int) -> None:
    begun = time.monotonic()
    for share in KILLS:
        process, _ = run(library, folder, lambda share=share: stored(library) >= share * count)  # type: ignore[misc]
        process.send_signal(signal.SIGKILL)
        process.wait()
        print(f"killed at {stored(library):,} images")
    process, taken = run(library, folder, lambda: False)
    assert process.stdout is not None
    report = json.loads(process.stdout.read())
    seconds = time.monotonic() - begun
    with closing(connect(library / "catalog.sqlite")) as file:
        (rows, distinct), *_ = file.execute(
            "SELECT count(*), count(DISTINCT path || page) FROM images JOIN image_files f ON f.key = file_key"
        )
    size = (library / "catalog.sqlite").stat().st_size / 1e6
    print(f"added: {rows:,} of {count:,}, {rows - distinct} twice, {len(report['failed'])} failed")
    print(f"seconds in all: {seconds:.0f} ({1000 * seconds / count:.1f} ms an image); catalog {size:.0f} MB")
    early, late = taken[len(taken) // 4], max(taken)
    print(f"memory of the last run: {early:.0f} MB after a quarter, {late:.0f} MB at most, ratio {late / early:.2f}")
    again = time.monotonic()
    subprocess.run(
        command(library, folder, name="bench"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    print(f"the same again, unchanged: {time.monotonic() - again:.1f} s")


def timed(ask: Callable[[int], object], count: int) -> tuple[float, float]:
    """Median and 95th percentile, ms."""
    taken = []
    for number in range(count):
        begun = time.perf_counter()
        ask(number)
        taken.append(1000 * (time.perf_counter() - begun))
    return float(np.median(taken)), float(np.percentile(taken, 95))


def searching(library_folder: Path, folder: Path) -> None:
    import faiss

    from conspectus import Library
    from conspectus.core.arrays import FloatArray
    from conspectus.images.vectors import read_vectors

    files = sorted(folder.iterdir())[:: max(1, len(list(folder.iterdir())) // QUERIES)][:QUERIES]
    pictures = [Image.open(path).convert("RGB") for path in files]
    with Library(library_folder) as library:
        library.images.search(pictures[0], collection="bench")
        every = [float(memory(os.getpid(), "VmHWM"))]
        whole = timed(lambda n: library.images.search(pictures[n % len(pictures)], collection="bench", k=12), QUERIES)
        of_file = timed(lambda n: library.images.search(files[n], collection="bench", k=12), 20)
        every.append(memory(os.getpid(), "VmHWM"))
        index = read_vectors(library.session, "bench").index
        vectors: FloatArray = np.stack(list(library.session.encoder.images(pictures)))
        for measure in ("cosine", "euclidean", "dot"):
            median, p95 = timed(lambda n: index.nearest(vectors[n], 12, measure), len(vectors))  # noqa: B023
            print(f"search, {measure}: median {median:.1f} ms, p95 {p95:.1f} ms, of the limit {p95 / LIMIT_MS:.2f}")
        print(
            f"picture in memory -> 12 images: median {whole[0]:.1f} ms, p95 {whole[1]:.1f}, {whole[1] / LIMIT_MS:.2f}"
        )
        print(f"file -> 12 images, with the child that reads it: median {of_file[0]:.0f} ms, p95 {of_file[1]:.0f} ms")
        print(f"memory of the process that searches: {every[-1]:.0f} MB, of the limit {every[-1] / LIMIT_MB:.2f}")
        flat = faiss.IndexFlatIP(index.vectors(np.arange(1)).shape[1])
        flat.add(index.vectors(np.arange(len(index))))
        faiss.omp_set_num_threads(1)
        median, p95 = timed(lambda n: flat.search(vectors[n][None], 12), len(vectors))
        print(f"peer, faiss.IndexFlatIP of float32: median {median:.1f} ms, p95 {p95:.1f} ms")


def told_pairs(what: str, sets: list[set[str]]) -> None:
    right = wrong = 0
    for names in sets:
        kinds = [name.split("_")[0] for name in names]
        same = sum(kinds.count(one) * (kinds.count(one) - 1) // 2 for one in set(kinds))
        right, wrong = right + same, wrong + len(kinds) * (len(kinds) - 1) // 2 - same
    print(f"{what}: {right} of one source, {wrong} of several: precision {right / (right + wrong):.3f}")


def duplicates(place: Path, sources: list[Path]) -> None:
    """Precision over pairs, and recall for each kind of copy."""
    from conspectus import Library

    folder = place / "copies"
    folder.mkdir()
    for number, path in enumerate(sources):
        for kind, image in copied(Image.open(path).convert("RGB")).items():
            image.convert("RGB").save(folder / f"{number:04}_{kind}.png")
    with Library(place / "library-copies") as library:
        library.images.add(folder, collection="copies")
        found = library.images.duplicates(collection="copies", shown=10**6)
    sets = [{Path(hit.path).stem for hit in group.images} for group in found.groups]
    group_of = {name: number for number, names in enumerate(sets) for name in names}
    print(f"near-duplicates of {found.searched:,} images in {found.took:.1f} s, {len(sets)} groups; {found.rule}")
    films = {f"{number:04}" for number, path in enumerate(sources) if "track" in path.name}
    told_pairs("pairs within groups", sets)
    told_pairs("without the 21 frames of one film", [one for one in sets if not films & {n.split("_")[0] for n in one}])
    pure = sum(len({name.split("_")[0] for name in names}) == 1 for names in sets)
    print(f"groups of one source: {pure} of {len(sets)}")
    for kind in copied(Image.new("RGB", (50, 50))):
        pairs = [(f"{n:04}_as it is", f"{n:04}_{kind}") for n in range(len(sources))]
        hit = sum(a in group_of and group_of[a] == group_of.get(b) for a, b in pairs)
        print(f"recall, {kind}: {hit / len(pairs):.3f}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    sources = sorted(DATA.iterdir())
    with tempfile.TemporaryDirectory() as held:
        place = Path(held)
        folder = place / "images"
        folder.mkdir()
        with ProcessPoolExecutor() as pool:
            list(pool.map(partial(varied, folder, sources), range(count), chunksize=100))
        adding(place / "library", folder, count)
        searching(place / "library", folder)
        duplicates(place, sources)


if __name__ == "__main__":
    main()
