"""Tools for language models (Model Context Protocol): small results, quotations with the ids of their sentences."""
