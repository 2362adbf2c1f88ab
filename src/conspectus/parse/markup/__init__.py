"""Readers of markup: web pages, JATS, TEI, Word, EPUB, LaTeX, Markdown, each built into a paper by one builder."""
