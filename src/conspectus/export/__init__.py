"""Papers written as bibliographies that other programs read: BibTeX, RIS, CSL-JSON, CSV, JSON Lines."""

from conspectus.export.write import FORMATS, Papers, pieces

__all__ = ["FORMATS", "Papers", "pieces"]
