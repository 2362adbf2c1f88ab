"""Orphans: how many passages stand nearer to another paper than to their own, with and without the line before them?

    python benchmarks/orphans.py [--papers N] [--picture FILE]

Passages of N full texts of `neuro_corpus` (60), cut as `add` cuts them, are embedded by the default model: as it is
done (title and heading stand before the text) and as text alone. A paper's centroid is the mean of its passages,
without the one that is asked of. The picture has the passages of both by t-SNE, each with a line to its paper's
centroid, orphans in red (S10; Iyer et al. 2024, fig. 4).
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from corpora import WORK, data_folder, read_lines

from conspectus import Library
from conspectus.map.projection import project
from conspectus.store.text_vectors import papers_with_vectors, read_passage_vectors


def library_of(papers: int) -> Library:
    """A library of full texts."""
    folder = WORK / "orphans" / f"library-{papers}"
    is_new = not folder.exists()
    library = Library(folder)
    if is_new:
        lines = islice(read_lines(data_folder() / "neuro_corpus" / "fulltext.jsonl.gz"), papers)
        texts = folder.parent / f"texts-{papers}"
        for number, paper in enumerate(lines):
            write_paper(texts / f"{number}.md", paper)
        library.add(texts)
    return library


def write_paper(path: Path, paper: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {paper['title']}\n\n{paper.get('abstract') or ''}\n\n{paper['body']}\n", encoding="utf-8")


def orphans(vectors: Any, owners: Any) -> Any:
    """Of each passage, whether another paper's centroid is nearer than its own without it: bool [passages]."""
    count = int(owners.max()) + 1
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, owners, vectors)
    own = sums[owners] - vectors
    unit = lambda rows: rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)  # noqa: E731
    to_all = vectors @ unit(sums).T
    to_own = (vectors * unit(own)).sum(axis=1)
    to_all[np.arange(len(vectors)), owners] = -1
    return to_all.max(axis=1) > to_own


def draw(path: Path, sets: dict[str, tuple[Any, Any]], owners: Any) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(16, 8), layout="constrained")
    for axes, (name, (vectors, lost)) in zip(figure.subplots(1, 2), sets.items(), strict=True):
        positions = project(vectors, "tsne")
        middles = np.array([positions[owners == one].mean(axis=0) for one in range(int(owners.max()) + 1)])
        for chosen, colour in ((~lost, "#4477aa"), (lost, "#cc3311")):
            ends = np.stack([positions[chosen], middles[owners[chosen]]], axis=1)
            axes.plot(*ends.transpose(2, 1, 0), color=colour, linewidth=0.3, alpha=0.5)
            axes.scatter(*positions[chosen].T, s=4, color=colour)
        axes.scatter(*middles.T, s=16, color="black")
        axes.set_title(f"{name}: {lost.mean():.1%} orphans")
        axes.set_axis_off()
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=60)
    parser.add_argument("--picture", type=Path, default=WORK / "orphans" / "orphans.png")
    asked = parser.parse_args()
    with library_of(asked.papers) as library:
        catalog = library.session.catalog
        model = library.session.embedder
        found = read_passage_vectors(catalog, model.id, papers_with_vectors(catalog, model.id).tolist())
        papers = {key: number for number, key in enumerate(dict.fromkeys(found.papers))}
        owners = np.array([papers[key] for key in found.papers])
        texts = {one.id: one.text for paper in library.papers() for one in catalog.passages(paper.id)}
        ids = catalog.papers_by_key(list(papers))
        alone = [texts[f"{ids[key].id}.{name}"] for key, name in zip(found.papers, found.names, strict=True)]
        plain = np.array([one.vector for one in model.embed(alone)], np.float32)
    sets = {
        name: (rows, orphans(rows, owners)) for name, rows in (("with title", found.vectors), ("text alone", plain))
    }
    for name, (_, lost) in sets.items():
        print(f"{name:12} {lost.mean():.1%} of {len(lost):,} passages of {len(papers)} papers stand nearer to another")
    draw(asked.picture, sets, owners)
    print(f"Picture: {asked.picture}")


if __name__ == "__main__":
    main()
