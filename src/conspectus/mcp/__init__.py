"""The library as tools of language models (Model Context Protocol): small results, each quote with its sentences' ids."""
