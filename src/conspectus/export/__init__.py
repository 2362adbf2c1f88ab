"""Export papers, answers and whole libraries: BibTeX, RIS, CSL-JSON, CSV, JSON Lines, Markdown, graph databases."""
