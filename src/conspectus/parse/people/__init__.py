"""Names of people and organisations: single names, lists of authors, bylines with places of work."""
