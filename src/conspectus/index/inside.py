"""The words that stand in pictures, by BM25: few and short, so they are indexed in memory, in no generation."""

from __future__ import annotations

from collections.abc import Iterable

import tantivy

from conspectus.index.queries import Wording, analyser, any_of


class WordsInside:
    """Which pictures hold words. Never changed, so any number of threads may search it.

    Args:
        pictures: (key, the words that stand in it).
    """

    def __init__(self, pictures: Iterable[tuple[int, str]]) -> None:
        builder = tantivy.SchemaBuilder().add_unsigned_field("key", fast=True)
        self._schema = builder.add_text_field("text", tokenizer_name="science", index_option="freq").build()
        index = tantivy.Index(self._schema)
        index.register_tokenizer("science", analyser())
        writer = index.writer(num_threads=1)
        for key, words in pictures:
            document = tantivy.Document()
            document.add_unsigned("key", key)
            document.add_text("text", words)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher, self._wording = index.searcher(), Wording()

    def best(self, query: str, k: int) -> dict[int, float]:
        """The keys of the `k` pictures that hold most of the query's words, with their scores over the best one's."""
        terms = self._wording.terms(query)
        if not terms:
            return {}
        words = any_of([tantivy.Query.term_query(self._schema, "text", term) for term in terms])
        hits = self._searcher.search(words, k, count=False).hits
        keys = self._searcher.fast_field_values("key", [address for _, address in hits])
        return {key: score / hits[0][0] for key, (score, _) in zip(keys, hits, strict=True)}
