"""Evidence: passages found for a question, read by a language model for what they say on it."""
