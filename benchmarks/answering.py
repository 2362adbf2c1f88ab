"""How often is the first sentence quoted for a claim of SciFact one that experts marked as its rationale?

    python benchmarks/answering.py

When there is an answer at all is measured by `refusal.py`.
"""

from __future__ import annotations

import corpora
from results import Figure, store_figures

from conspectus import Filters, Library
from conspectus.answer.sentences import QuotableSentence, read
from conspectus.papers.retriever import make_retriever


def sentences(lib: Library, question: str) -> list[QuotableSentence]:
    """What `ask` would choose from, were it to answer."""
    retriever, settings = make_retriever(lib.session), lib.settings
    asked = retriever.encode(question, Filters())
    found = retriever.retrieve(asked, Filters(), settings.search.candidates)
    return read(retriever, asked, found[: settings.answer.passages]).candidates


def rationales() -> None:
    """Print how often the first sentence quoted is a rationale of the claim."""
    with corpora.library(
        "scifact", corpora.write_lines(corpora.WORK / "scifact.jsonl", corpora.scifact_records())
    ) as lib:
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
    what = f"SciFact, {total} claims: first quote of a paper with a rationale; itself one"
    figure = Figure(what, f"{papers / total:.1%}; {hits / total:.1%}")
    store_figures("answering", "answers", "python benchmarks/answering.py", [figure])


if __name__ == "__main__":
    rationales()
