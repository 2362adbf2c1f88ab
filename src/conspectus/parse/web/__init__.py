"""Web pages and what is made like them: HTML, XHTML, the chapters of an EPUB."""

HTML_READER_VERSION = 3
"""Raised whenever the same page may come to be read otherwise."""
