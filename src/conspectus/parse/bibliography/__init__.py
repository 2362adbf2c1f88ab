"""Readers of bibliographies: BibTeX, RIS, MEDLINE, JSON of many kinds, and XML of PubMed, arXiv and EndNote.

Each module has a function `read(path)` that yields papers without full text, and `BadRecord`s, bit by bit.
"""
