"""The model that tells what a picture is: its training, and how well it does on pictures of other origins.

    python benchmarks/picture_kinds.py FOLDER check    # five-fold cross-validation, whole origins left out
    python benchmarks/picture_kinds.py FOLDER fit      # src/conspectus/figures/kinds.json
    python benchmarks/picture_kinds.py FOLDER sealed   # the sealed origins: read once, when all was settled

`picture_kinds.tsv` names the pictures, their kinds as told by looking at them, and which origins are sealed; none is
in the repository. FOLDER has them: Debian and Python packages unpacked into folders of their names, `figure_classes`
and `figure_captions`, figures and tables cut out of papers by the library, tables of JATS articles printed by a
browser, and drawn maps, micrographs and diagrams. What is not there is left out, and told.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

import corpora
import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import minimize
from scipy.special import log_softmax

from conspectus.figures.figure_vectors import KINDS, LEAST, FigureKindModel
from conspectus.models import registry
from conspectus.models.efficientnet import last_roots
from conspectus.settings import ModelSettings

LISTED = Path(__file__).with_suffix(".tsv")
TARGET = corpora.ROOT / "src" / "conspectus" / "figures" / "kinds.json"
RIDGES = (1e-3, 1e-4, 1e-5)
RIDGE = 1e-4
"""Chosen by `check`: it costs so much for a squared weight of vectors of length 1."""
FOLDS = 5
AXES = 160
"""Of the vectors' own, the longest: the others are noise to a model of so few pictures, and cost time."""
UNIT = 1 / 50
Floats = NDArray[np.float64]


class Pictures:
    """Those of the list that are in the folder: `vectors` [n, dimensions], kinds as numbers, origins, sealed or not."""

    def __init__(self, folder: Path) -> None:
        with LISTED.open() as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if (folder / row["file"]).is_file()]
        encoder = registry.make_encoder(ModelSettings())
        self.encoder = encoder.id
        kept = folder / "vectors.npz"
        known = dict(np.load(kept)) if kept.is_file() else {}
        missing = [row["file"] for row in rows if row["file"] not in known]
        known |= dict(zip(missing, encoder.images(_read(folder / one) for one in missing), strict=True))
        if missing:
            np.savez(kept, **known)
        self.vectors = np.stack([known[row["file"]] for row in rows])
        self.kinds = np.array([KINDS.index(row["kind"]) for row in rows])
        self.origins = np.array([row["origin"] for row in rows])
        self.sealed = np.array([bool(row["sealed"]) for row in rows])


def _read(path: Path) -> Image.Image:
    """A picture on white; of several the middle one; of more than 8 bits from the 0.1st to the 99.9th percentile."""
    with Image.open(path) as image:
        image.seek(getattr(image, "n_frames", 1) // 2 if getattr(image, "n_frames", 1) > 1 else 0)
        if image.mode.startswith(("I", "F")):
            numbers = np.asarray(image, float)
            low, high = np.percentile(numbers, [0.1, 99.9])
            return Image.fromarray((255 * np.clip((numbers - low) / max(high - low, 1e-9), 0, 1)).astype(np.uint8))
        seen = image.convert("RGBA")
        ground = Image.new("RGBA", seen.size, "white")
        ground.alpha_composite(seen)
        return ground.convert("RGB")


def shares(origins: NDArray[np.str_], kinds: NDArray[np.int64]) -> Floats:
    """What a picture counts: each kind the same, an origin in it by the root of its size."""
    counts = Counter(zip(origins, kinds, strict=True))
    found = np.array([counts[pair] ** -0.5 for pair in zip(origins, kinds, strict=True)])
    sums = np.bincount(kinds, found, minlength=len(KINDS))
    return found / sums[kinds] / np.count_nonzero(sums)


def fit(matrix: Floats, kinds: NDArray[np.int64], share: Floats, ridge: float) -> Floats:
    """Softmax regression: weights [numbers + 1, kinds], the intercepts last."""
    truth = np.eye(len(KINDS))[kinds]
    axes = np.linalg.eigh(matrix.T @ matrix)[1][:, -AXES:]
    matrix = matrix @ axes
    size = (AXES + 1, len(KINDS))

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(size)
        logs = log_softmax(matrix @ weights[:-1] + weights[-1], axis=1)
        wrong = (np.exp(logs) - truth) * share[:, None]
        slope = np.concatenate([matrix.T @ wrong + ridge * weights[:-1], wrong.sum(0)[None]])
        return ridge / 2 * float((weights[:-1] ** 2).sum()) - float(
            (share[:, None] * truth * logs).sum()
        ), slope.ravel()

    best = minimize(cost, np.zeros(size).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    found = best.x.reshape(size)
    return np.concatenate([axes @ found[:-1], found[-1:]])


def crossed(given: Pictures, ridge: float) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Odds of the open pictures by models that saw nothing of their origin, their kinds, and what they count.

    Kinds of one origin (tables) are left out: such a model has never seen one.
    """
    open_ = ~given.sealed
    matrix, kinds, origins = last_roots(given.vectors[open_]), given.kinds[open_], given.origins[open_]
    groups = [name.split("_nonspiral")[0].split("_spiral")[0] for name in origins]
    folds = {name: number % FOLDS for number, name in enumerate(sorted(set(groups)))}
    fold = np.array([folds[name] for name in groups])
    odds = np.zeros((len(kinds), len(KINDS)))
    for number in range(FOLDS):
        left = fold == number
        weights = fit(matrix[~left], kinds[~left], shares(origins[~left], kinds[~left]), ridge)
        odds[left] = matrix[left] @ weights[:-1] + weights[-1]
    several = np.array([len(set(fold[kinds == kind])) > 1 for kind in range(len(KINDS))])[kinds]
    return odds[several], kinds[several], shares(origins[several], kinds[several])


def loss(odds: Floats, kinds: NDArray[np.int64], share: Floats) -> float:
    """The mean of what the right kinds cost, in nats."""
    return -float((share * log_softmax(odds, axis=1)[np.arange(len(kinds)), kinds]).sum())


def cooled(odds: Floats, kinds: NDArray[np.int64], share: Floats) -> float:
    """The factor on odds that makes their probabilities true where an origin is new."""
    return float(min(np.arange(0.1, 2, 0.05), key=lambda factor: loss(odds * factor, kinds, share)))


def check(given: Pictures) -> None:
    """Cross-validation, for each ridge."""
    for ridge in RIDGES:
        odds, kinds, share = crossed(given, ridge)
        factor = cooled(odds, kinds, share)
        right = float((share * (odds.argmax(1) == kinds)).sum())
        print(f"ridge {ridge:g}  right {right:.3f}  loss {loss(odds * factor, kinds, share):.3f}  factor {factor:.2f}")


def make(given: Pictures) -> None:
    """Write the model of all that is open."""
    factor = cooled(*crossed(given, RIDGE))
    open_ = ~given.sealed
    share = shares(given.origins[open_], given.kinds[open_])
    weights = factor * fit(last_roots(given.vectors[open_]), given.kinds[open_], share, RIDGE)
    whole = np.rint(weights[:-1].T / UNIT).astype(int).tolist()
    made = FigureKindModel(given.encoder, UNIT, tuple(weights[-1].round(4).tolist()), tuple(map(tuple, whole)))
    TARGET.write_bytes(msgspec.json.encode(made) + b"\n")
    print(f"{open_.sum()} pictures, odds times {factor:.2f}, {TARGET.stat().st_size} bytes")


def sealed(given: Pictures) -> None:
    """What the model says of the sealed origins."""
    made = msgspec.json.decode(TARGET.read_bytes(), type=FigureKindModel)
    chances = made.probabilities(given.vectors[given.sealed])
    kinds, origins, told = given.kinds[given.sealed], given.origins[given.sealed], chances.argmax(1)
    sure = chances.max(1) >= LEAST
    print(f"{len(kinds)} pictures: right {np.mean(told == kinds):.3f}; told {sure.mean():.3f} of them, "
          f"of these right {np.mean((told == kinds)[sure]):.3f}")  # fmt: skip
    for number, kind in enumerate(KINDS):
        of, as_ = kinds == number, sure & (told == number)
        print(f"{kind:11} {of.sum():4}  found {np.mean((told == number)[of]):.3f}  right where told "
              f"{np.mean((kinds == number)[as_]):.3f}  {dict(Counter(KINDS[one] for one in told[of]))}")  # fmt: skip
    for low, high in ((0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        these = (chances.max(1) >= low) & (chances.max(1) < high)
        if these.any():
            right = np.mean((told == kinds)[these])
            mean = chances.max(1)[these].mean()
            print(f"probability {low}-{min(high, 1)}: {these.sum()} pictures, mean {mean:.2f}, right {right:.2f}")
    for origin in sorted(set(origins)):
        of = origins == origin
        print(f"  {origin:45} {of.sum():4}  {np.mean((told == kinds)[of]):.3f}")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", choices=("check", "fit", "sealed"))
    asked = parser.parse_args()
    {"check": check, "fit": make, "sealed": sealed}[asked.what](Pictures(asked.folder))


if __name__ == "__main__":
    main()
