"""Foundations for every room: errors, disk, HTTP, retries, characters, bounds, zip files, entry points."""
