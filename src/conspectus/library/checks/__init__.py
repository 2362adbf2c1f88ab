"""What `doctor` looks at: a function a check, listed in `registry.py`."""
