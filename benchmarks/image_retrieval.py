"""Which picture of `figure_classes` is like which: the default encoder against a histogram, HOG + PCA and chance.

    python benchmarks/image_retrieval.py [--set FOLDER]
    python benchmarks/image_retrieval.py --centre    # src/conspectus/models/data/efficientnet_centre.json

Each picture asks for the others of its class, of which micro_* is one: MAP, the mean share of the right class among
the nearest five (P@5), and ms a picture on one thread. Encoders by `--encoder NAME`; how a picture comes to the square:
`squash` (as built in), `pad` with white, `crop` of the middle. The centre that the default encoder takes away is that
of `figure_captions`, of which none is in `figure_classes`.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Callable
from pathlib import Path

import corpora
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from conspectus.models import efficientnet, registry
from conspectus.models.store import ModelStore
from conspectus.settings import ModelSettings

SIDE = 224
CELLS, BINS, COMPONENTS = 14, 9, 128
CENTRE = corpora.ROOT / "src" / "conspectus" / "models" / "data" / "efficientnet_centre.json"
UNIT = 1e-4
Floats = NDArray[np.float64]
SHAPES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "squash": lambda image: image,
    "pad": lambda image: ImageOps.pad(image, (SIDE, SIDE), color="white"),
    "crop": lambda image: ImageOps.fit(image, (SIDE, SIDE)),
}


def histogram(image: Image.Image) -> Floats:
    """How many pixels have each of 512 colours."""
    small = np.asarray(image.resize((SIDE, SIDE))) // 32
    codes = (small * np.array([64, 8, 1])).sum(axis=2)
    return np.bincount(codes.ravel(), minlength=512) / codes.size


def hog(image: Image.Image) -> Floats:
    """Histograms of oriented gradients of 14 x 14 cells, normalised over blocks of 2 x 2 (Dalal and Triggs 2005)."""
    grey = np.sqrt(np.asarray(image.convert("L").resize((SIDE, SIDE)), float))
    down, across = np.gradient(grey)
    strength = np.hypot(down, across)
    turned = (np.arctan2(down, across) % np.pi / np.pi * BINS).astype(int) % BINS
    y, x = np.indices(grey.shape) * CELLS // SIDE
    cells = np.bincount(((y * CELLS + x) * BINS + turned).ravel(), strength.ravel(), CELLS * CELLS * BINS)
    grid = cells.reshape(CELLS, CELLS, BINS)
    blocks = np.concatenate([grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:], grid[1:, 1:]], axis=2)
    return (blocks / (np.linalg.norm(blocks, axis=2, keepdims=True) + 1e-6)).ravel()


def reduced(matrix: Floats) -> Floats:
    """The first principal components."""
    centred = matrix - matrix.mean(axis=0)
    left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, :COMPONENTS] * lengths[:COMPONENTS])


def nearness(matrix: Floats, measure: str) -> Floats:
    """Of each pair, the greater the nearer."""
    product = matrix @ matrix.T
    lengths = np.diag(product)
    if measure == "cosine":
        return np.asarray(product / np.sqrt(np.maximum(np.outer(lengths, lengths), 1e-12)))
    return product if measure == "dot" else 2 * product - lengths[:, None] - lengths[None, :]


def scored(near: Floats, classes: NDArray[np.str_]) -> tuple[Floats, Floats]:
    """Average precision and P@5 of each picture; noughts where it is the only one of its class."""
    near = near.copy()
    np.fill_diagonal(near, -np.inf)
    order = np.argsort(-near, axis=1, kind="stable")[:, :-1]
    right = classes[order] == classes[:, None]
    precision = right.cumsum(axis=1) / np.arange(1, right.shape[1] + 1)
    average = (precision * right).sum(axis=1) / np.maximum(right.sum(axis=1), 1)
    return average, right[:, :5].mean(axis=1)


def show(name: str, near: Floats, merged: NDArray[np.str_], fine: NDArray[np.str_]) -> None:
    """A line: of all, and of each class; then with the kinds of micrographs apart, and with galaxies as one class."""
    average, first = scored(near, merged)
    each = "  ".join(f"{one} {first[merged == one].mean():.3f}" for one in sorted(set(merged)))
    joined = np.array([one.partition("_")[0] if one.startswith("galaxy") else one for one in merged])
    (fine_average, fine_first), (_, one_galaxy) = scored(near, fine), scored(near, joined)
    print(f"{name:30} MAP {average.mean():.3f}  P@5 {first.mean():.3f}   {each}   "
          f"fine: MAP {fine_average.mean():.3f}  P@5 {fine_first.mean():.3f}   "
          f"galaxies as one: P@5 {one_galaxy.mean():.3f}", flush=True)  # fmt: skip


def make_centre() -> None:
    """Write what figures have in common: the mean of their `efficientnet.roots`."""
    encoder = efficientnet.EfficientNet(ModelStore().path(efficientnet.SPEC))
    paths = sorted((corpora.data_folder() / "figure_captions" / "img").iterdir())
    seen = (encoder.activations([efficientnet.pixels(Image.open(path))]) for path in paths)
    mean = np.mean([efficientnet.roots(one)[0] for one in seen], axis=0)
    CENTRE.write_text(json.dumps({"unit": UNIT, "centre": np.rint(mean / UNIT).astype(int).tolist()}) + "\n")
    print(f"{len(paths)} pictures, {CENTRE.stat().st_size} bytes")


def compare(folder: Path, encoders: list[str] | None) -> None:
    """Measure all in one run."""
    with (folder / "labels.csv").open() as file:
        rows = list(csv.DictReader(file))
    fine = np.array([row["class"] for row in rows])
    merged = np.array(["micro" if one.startswith("micro_") else one for one in fine])
    images = [Image.open(folder / "img" / row["file"]).convert("RGB") for row in rows]
    print(f"{len(rows)} pictures")
    show("chance", np.random.default_rng(0).random((len(rows), len(rows))), merged, fine)
    show("colour histogram, cosine", nearness(np.stack([*map(histogram, images)]), "cosine"), merged, fine)
    show("HOG + PCA, cosine", nearness(reduced(np.stack([*map(hog, images)])), "cosine"), merged, fine)
    for name in encoders or ["efficientnet"]:
        encoder = registry.make_encoder(ModelSettings(encoder=name))
        next(iter(encoder.images(images[:1])))
        for shape, bring in SHAPES.items():
            brought, begun = [bring(image) for image in images], time.process_time()
            matrix = np.stack([*encoder.images(brought)]).astype(float)
            spent = (time.process_time() - begun) * 1000 / len(images)
            for measure in ("cosine", "euclidean", "dot"):
                show(f"{name} {shape}, {measure}", nearness(matrix, measure), merged, fine)
            print(f"  {spent:.1f} CPU-ms a picture; lengths {np.linalg.norm(matrix, axis=1).min():.1f} to "
                  f"{np.linalg.norm(matrix, axis=1).max():.1f}", flush=True)  # fmt: skip


def main() -> None:
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, default=corpora.data_folder() / "figure_classes")
    parser.add_argument("--encoder", action="append")
    parser.add_argument("--centre", action="store_true")
    asked = parser.parse_args()
    if asked.centre:
        make_centre()
    else:
        compare(asked.set, asked.encoder)


if __name__ == "__main__":
    main()
