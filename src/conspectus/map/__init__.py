"""The map: vectors of texts projected into the plane, the regions that they form, and the names of these regions.

A map that is fitted again starts from the places of the previous one; `fit` matches old and new regions. Papers
added later are placed next to the papers that they are similar to.
"""
