"""All derivations, in the order in which they are made."""

from __future__ import annotations

from collections.abc import Mapping

from conspectus.ingest.derivations.content_flags import ContentFlags
from conspectus.ingest.derivations.figures import Figures
from conspectus.ingest.derivations.key_phrases import KeyPhrases
from conspectus.ingest.derivations.language import Language
from conspectus.ingest.derivations.mentions import Extractions, Mentions, Relations
from conspectus.ingest.derivations.pictures import Pictures
from conspectus.ingest.derivations.positions import Positions
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.summaries import Summaries
from conspectus.ingest.derivations.vectors import Vectors
from conspectus.models.protocol import Embedder, Embedding

DERIVATIONS: tuple[Derivation, ...] = (
    *(ContentFlags(), KeyPhrases(), Language(), Figures(), Pictures(), Mentions(), Extractions()),
    *(Relations(), Summaries()),
    *(Positions(), Positions("passages")),
    Vectors(),
)
"""As they are where no model is at hand."""


def derivations(embedder: Embedder, made: Mapping[bytes, Embedding] | None = None) -> tuple[Derivation, ...]:
    """All of them, with the model by which vectors are made; `made` are some, by digests of texts."""
    return (*DERIVATIONS[:-1], Vectors(embedder, made))
