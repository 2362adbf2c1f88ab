"""Whether a statement that a model wrote stands in the sentences it cites, as far as that can be seen mechanically."""
