"""Asking language models: client, prompts, budget, usage, call cache, event loop."""
