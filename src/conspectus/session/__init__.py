"""The open library as verbs see it, and jobs.

A `Session` is frozen. Costly parts (index, embedder, models) are opened when first used, and can be injected. A job
runs in a thread; its events are numbered in a journal that any number of listeners can follow from any point.
"""
