"""The search index, derived from the catalog: engines behind one protocol.

The built-in engine has a tantivy index (BM25) and faiss codes (8 bits a dimension). A generation of files is written
next to the current one and never changed; replacing the file `CURRENT` switches to it, so a killed process leaves only
a folder that nothing points to. The range of the codes is fixed, not learnt, so results do not depend on the order in
which papers were added.
"""
