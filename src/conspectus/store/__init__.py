"""The source of truth: tables of papers, passages, vectors, answers and files, in SQLite or PostgreSQL.

`sqlite` and `postgres` have what is special about each database; queries and upgrades are the same. One transaction
writes a batch of papers with everything derived from them. The words of a passage row never change, so the index can
follow by comparing keys. Vectors are here, so the index can be rebuilt without computing any. Readers take no lock;
writers take a file lock and, on a server, also an advisory lock of their connection.
"""
