"""What leaves the program: records as JSON, HTML and text."""
