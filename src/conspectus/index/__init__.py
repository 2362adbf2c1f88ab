"""The search index, derived from the catalog: engines behind one protocol."""
