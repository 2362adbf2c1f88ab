"""Readers of bibliographies: tables, BibTeX, RIS, MEDLINE, tagged text, JSON, and XML of PubMed, arXiv and EndNote.

Each module has a function `read(path)` that yields papers without full text, and `BadRecord`s, bit by bit.
"""
