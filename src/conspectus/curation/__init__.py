"""What users keep about papers: tags, collections, notes. The example of a wing with declared verbs."""
