"""Can words or vectors tell, without a model that judges, whether a sentence supports a claim?

    python benchmarks/support.py

SciFact: claims with the sentences that experts marked, labelled SUPPORT or CONTRADICT; and claims with the nearest
sentence of the paper they cite where experts found no evidence in it. Printed is the AUC of the share of the claim's
words in the sentences, of the cosine of the default embedder, and of their mean; a judge would need 0.9.
"""

from __future__ import annotations

from collections.abc import Sequence

import corpora
import numpy as np
from answering import Values, auc

from conspectus.answer.verify.folding import fold
from conspectus.answer.verify.mechanical import doubts
from conspectus.answer.verify.text import content, tokens
from conspectus.models.protocol import Embedder
from conspectus.models.registry import embedder
from conspectus.settings import ModelSettings


def pairs() -> dict[str, list[tuple[str, list[str]]]]:
    """Claims with sentences, by what experts said of them."""
    folder = corpora.data_folder() / "scifact"
    abstracts = {str(item["doc_id"]): item["abstract"] for item in corpora.read_lines(folder / "corpus.jsonl.gz")}
    found: dict[str, list[tuple[str, list[str]]]] = {"SUPPORT": [], "CONTRADICT": [], "no evidence": []}
    for item in corpora.read_lines(folder / "claims_train.jsonl"):
        for paper, marked in item["evidence"].items():
            for one in marked:
                found[one["label"]].append((item["claim"], [abstracts[paper][place] for place in one["sentences"]]))
        if not item["evidence"]:
            sentences = abstracts[str(item["cited_doc_ids"][0])]
            found["no evidence"].append(
                (item["claim"], [max(sentences, key=lambda text: overlap(item["claim"], [text]))])
            )
    return found


def overlap(claim: str, sentences: Sequence[str]) -> float:
    """The share of the claim's words that stand in the sentences."""
    mine = content(tokens(fold(claim)))
    return len(mine & content(tokens(fold(" ".join(sentences))))) / max(len(mine), 1)


def cosines(model: Embedder, found: Sequence[tuple[str, list[str]]]) -> Values:
    """The greatest cosine of a claim with one of its sentences."""
    return np.array(
        [max(float(v.vector @ model.embed_query(claim).vector) for v in model.embed(some)) for claim, some in found]
    )


def main() -> None:
    model = embedder(ModelSettings())
    found = pairs()
    scores: dict[str, dict[str, Values]] = {"words": {}, "cosine": {}, "both": {}}
    for label, some in found.items():
        words = np.array([overlap(claim, sentences) for claim, sentences in some])
        cosine = cosines(model, some)
        scores["words"][label], scores["cosine"][label], scores["both"][label] = words, cosine, (words + cosine) / 2
        flagged = sum(bool(doubts(claim, sentences)) for claim, sentences in some) / len(some)
        print(
            f"{label}: {len(some)} pairs, median share of words {np.median(words):.2f}, "
            f"cosine {np.median(cosine):.2f}, doubted {flagged:.1%}"
        )
    for name, by_label in scores.items():
        for other in ("CONTRADICT", "no evidence"):
            print(f"{name:7} SUPPORT above {other:12} AUC {auc(by_label['SUPPORT'], by_label[other]):.3f}")


if __name__ == "__main__":
    main()
