"""From files to a searchable library: parse, merge, cut into passages, embed, commit, index."""
