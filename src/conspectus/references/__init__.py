"""Reference lists compared with records of the works that they name."""
