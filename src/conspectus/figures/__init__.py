"""Figures and tables, found."""
