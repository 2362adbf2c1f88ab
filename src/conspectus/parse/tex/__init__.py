"""LaTeX source: a main file with what it inputs, or an archive of such files as arXiv gives them."""

LATEX_READER_VERSION = 4
"""Raised whenever the same source may come to be read otherwise."""
