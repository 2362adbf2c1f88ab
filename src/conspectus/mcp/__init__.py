"""The library as tools of language models (Model Context Protocol): small results, quotes with their sentences' ids."""
