"""Vocabularies, the entities that papers speak of, and what they say of two together."""
