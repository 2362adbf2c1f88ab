"""Hypotheses: pairs of entities that nothing joins yet, each with its evidence and with what would test it."""
