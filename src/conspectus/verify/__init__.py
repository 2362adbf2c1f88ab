"""Mechanical checks of a model's statement: are its numbers, names and quotations in the sentences it cites?"""
