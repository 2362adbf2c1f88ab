"""Zotero both ways: items, notes and annotations are read from it, and what users change is written back."""
