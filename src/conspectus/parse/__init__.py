"""Files to parsed papers: readers by kind of file, sentences, passages, and a pool of child processes.

A child is a program of its own with limits on time and memory and without secrets in its environment. It reports in
MessagePack, which is decoded into declared types, so a PDF that crashes the reader costs one file. A file's bytes
decide its kind before its name does. `complete` adds what a format does not give as structure: references, citation
marks, mentions of figures.
"""
