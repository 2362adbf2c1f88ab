"""Reports whose statements are bound to their sentences, and contradictions between papers."""
