"""How many papers a search for words finds: exactly, by the words alone."""

from __future__ import annotations

from conspectus.catalog.chosen import count_papers
from conspectus.catalog.schema import SUMMARY
from conspectus.records import Filters, WordCount
from conspectus.search.retrieve import Retriever
from conspectus.search.search import why_none


def count(retriever: Retriever, words: str, filters: Filters) -> WordCount:
    """The papers with a passage (its title and section with it) that has all the words, in any of their forms.

    Without words: the papers that pass the filters.
    """
    with retriever.at_one_moment() as now:
        if not words.strip():
            return WordCount({}, count_papers(now.catalog, filters), note=now.note)
        found = now.index.count(words, filters)
        without = [word for word in dict.fromkeys(words.split()) if word not in found.words]
        notes = [now.note, f"Not looked for, as nearly every text has them: {', '.join(without)}." if without else ""]
        if SUMMARY in filters.kind:
            notes.append("Words are counted in the papers' own passages, not in summaries.")
        elif not found.papers and filters:
            notes.append(why_none(now, filters) if not any(found.words.values()) else "")
        return WordCount(found.words, found.papers, found.passages, " ".join(note for note in notes if note))
