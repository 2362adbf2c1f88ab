"""Papers written as bibliographies that other programs read: BibTeX, RIS, CSL-JSON, CSV, JSON Lines."""
