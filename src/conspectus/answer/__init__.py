"""Answers with citations, with and without a language model.

Without a model, `extractive` quotes sentences: a small network (`answerable.json`, made by
`benchmarks/refusal.py`) estimates the probability that the passages answer the question. With a model, `pipeline` has
the steps; the agent uses the same steps as its tools. A model only chooses numbers of sentences, and code copies their
words, so nothing that a model writes can become a quotation. A number that does not exist is asked for again, never
dropped. Stored answers name their sentences and do not have their words.
"""
