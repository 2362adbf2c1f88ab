"""From files to a searchable library: read, merge, cut into passages, embed, store, index.

What a file says about a paper is a document. Documents are kept, and papers are made from them, so the result does not
depend on the order of adding, and a changed file changes only its own papers. `store.PaperStore` is the only way into
the catalog. New texts are embedded in a thread while the next files are read; a text that the library has already is
not embedded again. Whatever is made from papers is a derivation (`derivations`): it has a version, and is made again
when that version or its input changes.
"""
