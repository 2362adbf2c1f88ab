"""All derivations, in the order in which they are made."""

from __future__ import annotations

from conspectus.ingest.derivations.content_flags import ContentFlags
from conspectus.ingest.derivations.figures import Figures
from conspectus.ingest.derivations.key_phrases import KeyPhrases
from conspectus.ingest.derivations.language import Language
from conspectus.ingest.derivations.protocol import Derivation

DERIVATIONS: tuple[Derivation, ...] = (ContentFlags(), KeyPhrases(), Language(), Figures())
