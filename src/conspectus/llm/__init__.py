"""The client of language models: prompts, budget, usage, call cache, event loop.

A reply is validated against a JSON schema and a check, and asked for again once, with the error. Calls are cached by
their content and written outside the writer lock, so a killed `ask` continues from what was read and never waits for
somebody who adds papers.
"""
