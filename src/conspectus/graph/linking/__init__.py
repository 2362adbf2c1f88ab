"""The names of vocabularies, found in the sentences of papers."""

from conspectus.graph.linking.linker import Linker, Match
from conspectus.graph.linking.naming import Named
from conspectus.graph.linking.rules import Rules, learn

__all__ = ["Linker", "Match", "Named", "Rules", "learn"]
