"""What papers say, condensed by a language model, each sentence bound to the paper's own."""
