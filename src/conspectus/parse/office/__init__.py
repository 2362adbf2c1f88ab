"""Word files (`.docx`): a zip archive of XML, read part by part."""

DOCX_READER_VERSION = 2
"""Raised whenever the same file may come to be read otherwise."""
