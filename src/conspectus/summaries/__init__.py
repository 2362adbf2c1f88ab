"""Papers condensed by a language model. Each sentence of a summary is bound to sentences of the paper."""
