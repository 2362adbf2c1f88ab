"""Figures, tables and collections of images: found by words, by captions, or by a similar picture.

Vectors of pictures are compared in memory. Images that belong to no paper are stored with a vector, a perceptual hash
and a thumbnail.
"""
