"""Vocabularies, the concepts that papers mention, and the connections between them.

A vocabulary is read by one child process. Linking puts all names into one automaton and goes through the sentences of
each paper. Connections are not stored: they are the sentences that mention two concepts, so they disappear with their
papers. `discovery` ranks pairs that no sentence mentions together although they share neighbours.
"""
