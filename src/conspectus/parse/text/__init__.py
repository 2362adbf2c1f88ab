"""Running text: blocks, sentences, passages, titles, dates, identifiers, key phrases."""
