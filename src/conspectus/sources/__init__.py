"""Where papers come from: files and folders."""
