"""The atlas: vectors of texts brought into the plane, the regions that they make there, and what these are called."""
