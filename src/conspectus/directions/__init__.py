"""Directions: what the library's vectors mean, learned from them, named, and used to explain, to steer and to compare.

A sparse autoencoder (`autoencoder`, `training_plan`) finds directions of the vectors of which each text has few.
`build` trains and keeps them, `labels` names them by words of papers, `stored_directions` reads them.
"""
