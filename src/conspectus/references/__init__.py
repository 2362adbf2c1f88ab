"""Reference lists held against records of the works that they name."""
