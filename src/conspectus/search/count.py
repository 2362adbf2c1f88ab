"""How many papers a search for words finds: exactly, by the words alone."""

from __future__ import annotations

from dataclasses import replace

from conspectus.core.errors import UsageError
from conspectus.records import Filters, WordCount
from conspectus.search.retrieve import Retriever
from conspectus.search.search import why_none
from conspectus.search.syntax import Query
from conspectus.store.facets import count_papers
from conspectus.store.schema import SUMMARY


def count(retriever: Retriever, query: Query, filters: Filters) -> WordCount:
    """The papers with a passage (its title and section with it) that has all the words, in any of their forms.

    Words that the query's signs do not join all have to be there, as they do not where papers are ranked. Without words
    and conditions: the papers that pass the filters.

    Raises:
        UsageError: there are words, and none of them can be looked for.
    """
    with replace(retriever, where=query.where).at_one_moment() as now:
        words, asked = query.soft, "" if query.where is None else str(query.where)
        if not words.strip() and query.where is None:
            return WordCount({}, count_papers(now.catalog, filters), note=now.note)
        found = now.index.count(words, filters, query.where)
        if not found.words and query.where is None:
            hint = "Words that nearly every text has, like 'the', are not. Give others, or none: then all papers count."
            raise UsageError(f"'{words.strip()}' has no words that can be looked for.", hint)
        without = [word for word in dict.fromkeys(words.split()) if word not in found.words]
        notes = [now.note, f"Not looked for, as nearly every text has them: {', '.join(without)}." if without else ""]
        if SUMMARY in filters.kind:
            notes.append("Words are counted in the papers' own passages, not in summaries.")
        elif not found.papers and (filters or asked):
            notes.append(why_none(now, filters) if not any(found.words.values()) else "")
        note = " ".join(note for note in notes if note)
        return WordCount(found.words, found.papers, found.passages, note, asked)
