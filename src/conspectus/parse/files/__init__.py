"""Files before they are read: their bytes, archives, what kind a file is, and one file looked at."""
