"""LaTeX source: a main file with what it inputs, or an archive of such files as arXiv gives them."""
