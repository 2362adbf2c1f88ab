"""Papers: add, list, read, find and remove them. Verbs, their views, and what they do over all wings."""
