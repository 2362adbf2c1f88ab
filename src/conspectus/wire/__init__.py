"""Records as JSON, HTML and text for everything outside the program."""
