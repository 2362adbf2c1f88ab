"""Labels of concepts as papers write them, where a vocabulary's own spelling is another: `Parkinsons disease`.

Only names of a concept that are one spelling of its label count: with the same letters, or without the label's last
ones. Which of them papers say is told by how long mentions are, so that no text is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sqlalchemy import func, select

from conspectus.core.groups import grouped
from conspectus.records.vocabularies import NameKind
from conspectus.store.connection import CatalogReader
from conspectus.store.graph_tables import concept_names, mentions

ENDING = 2
"""Letters that a label may have at its end and a spelling lacks, at most."""
PLURAL = 0.5
"""What a mention that is one letter longer than a name, as its plural is, counts for the name."""
CLEARLY = 1.5
"""Times as often as the label another spelling must be said."""


def find_usual_spellings(catalog: CatalogReader, labels: Mapping[int, str]) -> dict[int, str]:
    """Concept -> another spelling of its label, of those whose papers clearly say that one."""
    kinds = (NameKind.LABEL, NameKind.PREFERRED, NameKind.EXACT)
    query = select(concept_names.c.concept_key, concept_names.c.text).where(concept_names.c.kind.in_(kinds))
    names = grouped(
        (row.concept_key, row.text) for row in catalog.rows_where(query, concept_names.c.concept_key, labels)
    )
    spellings = {
        key: alike
        for key, texts in names.items()
        if (alike := [text for text in dict.fromkeys(texts) if text != labels[key] and _is_spelling(text, labels[key])])
    }
    length = (mentions.c.stop - mentions.c.start).label("length")
    counted = select(mentions.c.concept_key, length, func.count().label("times")).group_by(
        mentions.c.concept_key, length
    )
    lengths_by_key: dict[int, Counter[int]] = {key: Counter() for key in spellings}
    for row in catalog.rows_where(counted, mentions.c.concept_key, spellings):
        lengths_by_key[row.concept_key][row.length] += row.times
    chosen: dict[int, str] = {}
    for key, alike in spellings.items():
        best = max(alike, key=lambda text: _count(lengths_by_key[key], text))
        if _count(lengths_by_key[key], best) > CLEARLY * _count(lengths_by_key[key], labels[key]):
            chosen[key] = best
    return chosen


def _count(lengths: Counter[int], name: str) -> float:
    return lengths[len(name)] + PLURAL * lengths[len(name) + 1]


def _is_spelling(name: str, label: str) -> bool:
    """Whether a name has the letters of a label, but for an ending of the label, and is as a label is written. A longer
    name is none: by their lengths "neurons" cannot be told from "neurone"."""
    letters, label_letters = ["".join(filter(str.isalnum, text.casefold())) for text in (name, label)]
    return (
        name[:1].isupper() == label[:1].isupper()
        and label_letters.startswith(letters)
        and len(label_letters) - len(letters) <= ENDING < len(letters)
    )
