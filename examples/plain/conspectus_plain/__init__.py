"""A package of somebody else, small and whole: docs/extending.md goes through it."""
