"""Readers of articles in XML: JATS (PMC, PLOS, eLife, BMC) and TEI (GROBID's and others')."""
