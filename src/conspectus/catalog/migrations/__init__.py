"""Migrations of the catalog, forward only."""
