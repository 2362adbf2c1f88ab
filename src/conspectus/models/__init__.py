"""Models behind small protocols: embedders, image encoders, re-rankers, language models, and the store of weights.

The local embedder and cross-encoder run one text at a time: a vector then depends on nothing but its text, and it is
also faster on a CPU. Texts run in parallel threads instead.
"""
