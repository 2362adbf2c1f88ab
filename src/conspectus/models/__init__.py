"""Models behind small protocols: embedders by name, and the store that their weights are kept in."""
