"""Benchmark sets for `conspectus eval`, two configurations compared by a model as judge, and plots of results."""
