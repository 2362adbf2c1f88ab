"""Sort papers into categories, with a language model or by their vectors and words."""
