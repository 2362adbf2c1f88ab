"""Which papers say something: all of them, by words and keywords, without a ranking."""

from __future__ import annotations

from conspectus.core.errors import UsageError
from conspectus.library.retrieving import retriever_of
from conspectus.library.session import Session
from conspectus.records import Filters, normal_name

ALL = 2**31


def papers_that_say(session: Session, words: str) -> list[int]:
    """The keys of the papers of which a passage, or the title, has the words as a phrase, or that have the keyword.

    Args:
        words: also a query with signs (`"JWST" OR "James Webb"`), as `search` knows it: what passages have to be.

    Raises:
        UsageError: there is nothing to look for, or a mistake in the signs.
    """
    from conspectus.search import syntax
    from conspectus.search.query_lexer import has_words

    asked = syntax.parse(syntax.asked(words))
    if not normal_name(words):
        raise UsageError("There is nothing to look for: the words are empty.", "Give a keyword.")
    if asked.where is None:
        if not has_words(words):
            hint = "Words that nearly every text has, like 'the', are not. Give others beside them."
            raise UsageError(f"'{words.strip()}' has no words that can be looked for.", hint)
        phrase = words.replace('"', " ")
        asked = syntax.parse(f'"{phrase}" OR keyword:"{phrase}"')
    with retriever_of(session, "raw", reranked=False).at_one_moment() as now:
        hits = now.index.newest(ALL, Filters(), asked.where)
        return sorted(set(now.catalog.papers_of_passages([hit.key for hit in hits]).values()))
