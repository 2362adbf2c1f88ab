"""Passages to an answer that cites the sentence. Without a language model, the answer is made of quotes."""
