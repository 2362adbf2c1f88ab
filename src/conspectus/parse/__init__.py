"""Bytes to parsed papers: readers by kind of file, sentences, passages, and a pool of child processes to read in."""
