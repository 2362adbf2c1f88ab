"""What users keep about papers: tags, collections, notes."""
