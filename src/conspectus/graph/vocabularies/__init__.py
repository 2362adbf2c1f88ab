"""Vocabularies of any kind become concepts: read in a child process, stored all or not at all."""
