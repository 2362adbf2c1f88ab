"""Rank papers by any criterion, by comparing them in pairs."""
