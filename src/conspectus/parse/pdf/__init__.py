"""PDF files: their text in reading order with the place of every sentence, and pages drawn with sentences lit up."""

PDF_READER_VERSION = 9
"""Raised whenever the same file may come to be read otherwise."""
