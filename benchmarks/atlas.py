"""The map: are neighbours kept, are regions subjects, does it stay put, are gaps found?

    python benchmarks/atlas.py [PART …] [--library DIR] [--astro DIR] [--seeds N]

Parts: neighbours, regions, stability, these of astronomy with `-astro`, gaps, names. `--library` has 5,500 papers of
`arxiv_topics` (1,000 of neuroscience, 4,500 of materials, drawn with a seed), `--astro` the 20,078 of `arxiv_astro`, or
some of these; what is absent is made under `.bench`, which takes minutes.

* neighbours: trustworthiness and the share of the 15 nearest by vectors that are among the 15 nearest on the map;
  against openTSNE and umap-learn as they come (the latter where it is installed), on the same vectors: the mean of
  seeds 1 to N, and from where to where. Both are of all texts, or of `SOME` that are drawn, among all.
* regions: V-measure of the middle level against arXiv's primary categories, over all and within materials; the share of
  a paper's 10 nearest on the map that are in its region; k-means of the vectors alone, of as many clusters.
* stability: fitted to 90 %, the others placed: their 15 nearest that are kept, against a fit of all; then fitted again
  to all: how far the first stand from where they stood, and how their regions agree (adjusted Rand index).
* gaps: of ten regions of astronomy the reviews are taken away, one region at a time: where does `gaps` rank it
  among all, and is it before all that have a review?
* names: the names of 40 regions with the titles of papers drawn from each, to be judged by hand.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from corpora import WORK, data_folder, read_lines, write_lines
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, v_measure_score

from conspectus import Library
from conspectus.map.named_overlays import find_region_reviews, find_reviews
from conspectus.map.projection import NEAREST, align_positions, moved, neighbours, place_near, project
from conspectus.map.regions import levels
from conspectus.map.survey import gaps
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.plain_text import decoded
from conspectus.store.text_vectors import papers_with_vectors, texts

MIDDLE, SEED, NEAR, SOME, TITLES = 1, 1, 15, 5000, 8
MATERIALS, NEURO = "materials_chem_softmatter.jsonl.gz", "qbio_nc_neuroscience.jsonl.gz"


def topics() -> Iterator[dict[str, Any]]:
    """The papers of `arxiv_topics` that are mapped."""
    chance = random.Random(SEED)
    for name, count in ((MATERIALS, 4500), (NEURO, 1000)):
        yield from chance.sample(list(read_lines(data_folder() / "arxiv_topics" / name)), count)


def astro() -> Iterator[dict[str, Any]]:
    return read_lines(data_folder() / "arxiv_astro" / "astro_abstracts.jsonl.gz")


def opened(folder: Path | None, name: str, records: Any) -> Library:
    """A library with a map of its papers."""
    path = folder or WORK / "atlas" / name
    is_new = not path.exists()
    library = Library(path)
    if is_new:
        library.add(write_lines(WORK / "atlas" / f"{name}.jsonl", records()))
    library.map.build()
    return library


def vectors_of(library: Library) -> Any:
    """The vectors of the map's papers, in its order."""
    catalog, found = library.session.catalog, library.map.build()
    keys = papers_with_vectors(catalog, found.model).tolist()
    made = list(texts(catalog, found.model, "papers", keys))
    rows = {paper.id: row for row, paper in enumerate(_papers(library, [key for one in made for key, _ in one.names]))}
    whole = np.concatenate([one.vectors for one in made])
    return whole[[rows[paper] for paper in found.papers]]


def _papers(library: Library, keys: list[int]) -> list[Any]:
    found = library.session.catalog.papers_by_key(keys)
    return [found[key] for key in keys]


def kept_near(vectors: Any, positions: Any, rows: Any = None) -> float:
    """The share of the nearest by vectors that are among the nearest on the map, of all texts or some."""
    rows = np.arange(len(vectors)) if rows is None else rows
    near = neighbours(vectors, vectors[rows], NEAR + 1)[1]
    total = 0
    for row, own in zip(rows.tolist(), near, strict=True):
        far = ((positions - positions[row]) ** 2).sum(axis=1)
        beside = set(np.argpartition(far, NEAR + 1)[: NEAR + 1].tolist()) - {row}
        total += len((set(own.tolist()) - {row}) & beside)
    return total / (NEAR * len(rows))


def trusted(vectors: Any, positions: Any, rows: Any) -> float:
    """Trustworthiness (Venna and Kaski 2001) as scikit-learn has it, of some texts among all."""
    total = 0
    for row in rows.tolist():
        far = -(vectors @ vectors[row])
        far[row] = -np.inf  # the text itself is the nearest, and does not count
        rank = np.empty(len(far), np.int64)
        rank[np.argsort(far, kind="stable")] = np.arange(len(far))
        apart = ((positions - positions[row]) ** 2).sum(axis=1)
        apart[row] = np.inf
        total += int(np.maximum(0, rank[np.argpartition(apart, NEAR)[:NEAR]] - NEAR).sum())
    return 1 - 2 * total / (len(rows) * NEAR * (2 * len(vectors) - 3 * NEAR - 1))


def neighbours_kept(library: Library, seeds: int) -> None:
    from openTSNE import TSNE

    vectors = vectors_of(library)
    rows = np.sort(np.random.default_rng(SEED).permutation(len(vectors))[:SOME])
    print(f"{len(rows)} of {len(vectors)} texts")
    ways: dict[str, Callable[[int], Any]] = {
        "openTSNE as it comes": lambda seed: np.asarray(TSNE(random_state=seed).fit(vectors))
    }
    try:
        import umap

        ways["umap-learn as it comes"] = lambda seed: umap.UMAP(random_state=seed).fit_transform(vectors)
    except ImportError:
        print("umap-learn is not installed.")
    maps = {"conspectus": [library.map.build().positions]}
    maps |= {name: [way(seed) for seed in range(1, seeds + 1)] for name, way in ways.items()}
    for name, made in maps.items():
        trust, near = ([measure(vectors, one, rows) for one in made] for measure in (trusted, kept_near))
        print(f"{name:24} trustworthiness {_spread(trust)}, 15 nearest kept {_spread(near)}")


def _spread(values: list[float]) -> str:
    return f"{np.mean(values):.4f}" + (f" ({min(values):.4f} to {max(values):.4f})" if len(values) > 1 else "")


def regions(library: Library, records: Callable[[], Iterator[dict[str, Any]]] = topics) -> None:
    found, vectors = library.map.build(), vectors_of(library)
    said = {
        clean_line(decoded(one["title"])): (one["primary_category"], number < 4500)
        for number, one in enumerate(records())
    }
    truth = np.array([said[title][0] for title in found.titles])
    inside = np.array([said[title][1] for title in found.titles]) | (records is astro)
    near = np.array([np.argsort(((found.positions - one) ** 2).sum(axis=1))[1:11] for one in found.positions])
    ours = found.region_ids[:, MIDDLE]
    count = len(found.at(MIDDLE))
    alone = KMeans(count, n_init=3, random_state=SEED).fit_predict(vectors)
    for name, labels in (("conspectus", ours), ("k-means of vectors", alone)):
        over, within = v_measure_score(truth, labels), v_measure_score(truth[inside], labels[inside])
        same = (labels[near] == labels[:, None]).mean()
        print(f"{name:20} {count} regions: V {over:.3f}, within materials {within:.3f}, beside in the same {same:.3f}")


def stability(library: Library) -> None:
    vectors = vectors_of(library)
    chance = np.random.default_rng(SEED)
    order = chance.permutation(len(vectors))
    old, new = np.sort(order[: int(0.9 * len(order))]), np.sort(order[int(0.9 * len(order)) :])
    first = project(vectors[old], "tsne")
    none = np.full((len(old), 3), -1)
    before = levels(vectors[old], first, "kmeans", none)
    positions = np.empty((len(vectors), 2), np.float32)
    positions[old] = first
    positions[new] = place_near(neighbours(vectors[old], vectors[new], NEAREST)[1], first)[0]
    again = project(vectors, "tsne", start=positions)
    numbers = np.full((len(vectors), 3), -1)
    numbers[old] = before
    after = levels(vectors, again, "kmeans", numbers)
    print(
        f"new papers placed: {kept_near(vectors, positions, new):.3f} of their 15 nearest kept; in a fit of all",
        end=" ",
    )
    print(f"{kept_near(vectors, project(vectors, 'tsne'), new):.3f}. The old ones have not moved.")
    agree = adjusted_rand_score(before[:, MIDDLE], after[old, MIDDLE])
    far = moved(first, align_positions(again, positions)[old])
    print(
        f"fitted again: the old ones moved {far:.1%} of the width in the median; their regions agree, ARI {agree:.3f}"
    )


def planted(library: Library) -> None:
    """Take away the reviews of one region at a time, of ten that are not small: is it before all that have reviews?"""
    found = library.map.build()
    known = find_region_reviews(library.session, found)
    before = gaps(found, known)
    level = before[0].level
    large = np.median([gap.papers for gap in before]) / 2
    of = [gap for gap in before if gap.reviews and gap.papers >= large]
    ranks, firsts = [], 0
    for number in np.random.default_rng(SEED).permutation(len(of))[:10].tolist():
        region = of[number]
        less = known.copy()
        less[found.region_ids[:, level] == region.id, level] = False
        after = [gap.id for gap in gaps(found, less, level)]
        reviewed = {gap.id for gap in before if gap.reviews} - {region.id}
        ranks.append(after.index(region.id) + 1)
        firsts += not reviewed.intersection(after[: ranks[-1]])
    reviews = int(find_reviews(library.session, found).sum())
    print(f"{reviews} reviews; level {level}: {len(of)} of {len(before)} regions have one and are not small")
    print(f"Ranks of ten without theirs, among all: {ranks}")
    print(f"before all regions that have a review: {firsts} of {len(ranks)}")


def named(library: Library) -> None:
    found, chance = library.map.build(), np.random.default_rng(SEED)
    shown = [*found.at(0), *found.at(1), *found.at(2)][:40]
    for region in shown:
        rows = np.flatnonzero(found.region_ids[:, region.level] == region.id)
        titles = [found.titles[row][:90] for row in chance.choice(rows, min(TITLES, len(rows)), replace=False).tolist()]
        print(f"{region.level} {region.size:5} {region.name} ({region.named_by})", *titles, sep="\n        ")


RUN: dict[str, Callable[[Library], None]] = {
    "regions": regions,
    "regions-astro": partial(regions, records=astro),
    "stability": stability,
    "stability-astro": stability,
    "gaps": planted,
    "names": named,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--astro", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    near = partial(neighbours_kept, seeds=asked.seeds)
    run = {"neighbours": near, "neighbours-astro": near, **RUN}
    for part in asked.parts or run:
        of_topics = part in ("neighbours", "regions", "stability")
        with opened(asked.library, "topics", topics) if of_topics else opened(asked.astro, "astro", astro) as library:
            run[part](library)


if __name__ == "__main__":
    main()
