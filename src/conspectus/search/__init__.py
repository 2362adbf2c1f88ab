"""A question to ranked passages: retrieve, fuse, re-rank, group by paper."""
