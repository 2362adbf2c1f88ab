"""A question to ranked passages: retrieve, fuse, re-rank, group by paper.

Full text and vectors each search all passages with the filters inside the search. The nearest vectors are compared
again exactly, the scores are fused, and the best passages are compared word by word. A score holds for one search only;
a probability that something was found is a different number (see `answer`).
"""
