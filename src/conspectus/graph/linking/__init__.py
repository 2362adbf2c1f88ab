"""The names of vocabularies, found in the sentences of papers."""
