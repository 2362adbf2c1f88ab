"""Sources of papers: files, folders, drives, and Crossref for checking references."""
