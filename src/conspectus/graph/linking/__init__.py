"""Names of concepts found in texts."""

from conspectus.graph.linking.linker import Linker, Match, Named

__all__ = ["Linker", "Match", "Named"]
