"""When is there an answer? The support of questions that the library can and cannot answer, and where they part.

    python benchmarks/answering.py [--plot docs/threshold.png]

Library: the 500 contexts of PubMedQA among 20,000 abstracts (see `retrieval.py`). Three sets of questions:
*answerable*: PubMedQA's, whose context is in the library; *context left out*: the same, with the context's paper passed
over, so that the nearest other papers have to do; *another field*: AstroQA's, on a library without astronomy.
Half of each set (every other question) chooses the threshold, the other half reports. Then SciFact: how often is the
first sentence quoted for a claim one that experts marked as its rationale?
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import corpora
import numpy as np
import numpy.typing as npt
from retrieval import library, pubmedqa_library

from conspectus import Filters, Library
from conspectus.answer.sentences import Candidate, candidates

Values = npt.NDArray[np.float64]
KEPT = 0.95
"""The part of answerable questions that the threshold lets pass."""


def sentences(lib: Library, question: str, without: str = "") -> list[Candidate]:
    """What `ask` would choose from, with the paper whose external id is `without` passed over."""
    retriever, settings = lib._retriever(), lib.settings
    asked = retriever.asked(question)
    found = retriever.retrieve_for(asked, Filters(), settings.search.candidates)
    stored = lib._catalog.passages_by_key([item.key for item in found])
    if without:
        papers = lib._catalog.papers_by_key([item.paper_key for item in stored.values()])
        found = [item for item in found if papers[stored[item.key].paper_key].external_id != without]
    return candidates(retriever, asked, found[: settings.answer.passages])


def support(found: Sequence[Candidate]) -> float:
    """The support that the threshold is compared with."""
    return max((item.support for item in found), default=0.0)


def auc(high: Values, low: Values) -> float:
    """The probability that one of `high` is above one of `low`."""
    return float((high[:, None] > low[None, :]).mean() + 0.5 * (high[:, None] == low[None, :]).mean())


def threshold(plot: Path | None) -> None:
    """Print where the three sets part, and draw the curves."""
    with pubmedqa_library() as lib:
        asked = [(item["QUESTION"], f"pubmedqa:{item['pmid']}") for item in corpora.pubmedqa()]
        other = corpora.read_lines(next((corpora.data_folder() / "astroqa").glob("*.gz")))
        astro = [item["Question"] for item in other if item.get("Question", "").endswith("?")]
        sets = {
            "answerable": np.array([support(sentences(lib, question)) for question, _ in asked]),
            "context left out": np.array([support(sentences(lib, question, name)) for question, name in asked]),
            "another field": np.array([support(sentences(lib, question)) for question in astro[:500]]),
        }
        used = lib.settings.answer.threshold
    chosen = float(np.quantile(sets["answerable"][::2], 1 - KEPT))
    held = {name: values[1::2] for name, values in sets.items()}
    print(f"threshold that lets {KEPT:.0%} of one half of the answerable pass: {chosen:.3f}; in use: {used:.3f}\n")
    grid = sorted({0.5, 0.55, 0.6, 0.65, 0.7, round(chosen, 3), used})
    print(f"{'answered at':20}{'median':>8}{'AUC':>7}" + "".join(f"{at:8.3f}" for at in grid))
    for name, values in held.items():
        area = "" if name == "answerable" else f"{auc(held['answerable'], values):.3f}"
        rates = "".join(f"{(values >= at).mean():8.1%}" for at in grid)
        print(f"{name:20}{np.median(values):8.3f}{area:>7}{rates}")
    if plot:
        draw(held, used, plot)


def draw(sets: dict[str, Values], used: float, path: Path) -> None:
    """The part of each set that is answered, over the threshold."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    grid = np.linspace(0.2, 1, 161)
    for (name, values), style in zip(sets.items(), ("-", "--", ":"), strict=True):
        axes.plot(grid, [(values >= at).mean() for at in grid], style, label=name)
    axes.axvline(used, color="grey", linewidth=0.8)
    axes.annotate(f"in use: {used:g}", (used, 1.01), ha="center", va="bottom", annotation_clip=False, fontsize=8)
    axes.set(xlabel="answer.threshold", ylabel="part of the questions that is answered", ylim=(0, 1))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def rationales() -> None:
    """Print how often the first sentence quoted is a rationale of the claim."""
    with library("scifact", corpora.write_lines(corpora.WORK / "scifact.jsonl", corpora.scifact_records())) as lib:
        corpus = {
            str(d["doc_id"]): d for d in corpora.read_lines(corpora.data_folder() / "scifact" / "corpus.jsonl.gz")
        }
        claims = corpora.read_lines(corpora.data_folder() / "scifact" / "claims_train.jsonl")
        hits = papers = total = 0
        for claim in claims:
            if not claim["evidence"]:
                continue
            gold = {
                " ".join(corpus[name]["abstract"][number].split())
                for name, groups in claim["evidence"].items()
                for group in groups
                for number in group["sentences"]
            }
            total += 1
            if best := sentences(lib, claim["claim"])[:1]:
                text = " ".join(best[0].span.text.split())
                hits += any(text in rationale or rationale in text for rationale in gold)
                papers += best[0].paper.external_id.removeprefix("scifact:") in claim["evidence"]
    print(f"\nSciFact, {total} claims with a rationale somewhere in the corpus:")
    print(f"the first sentence is of a paper with a rationale {papers / total:.1%}, is itself one {hits / total:.1%}")


def main() -> None:
    """Both parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path)
    plot = parser.parse_args().plot
    rationales()
    threshold(plot)


if __name__ == "__main__":
    main()
