"""Suites that readers, models and index engines of other packages pass (docs/extending.md); they need pytest."""
