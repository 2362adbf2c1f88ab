"""What `doctor` looks at: a function a check, listed in `library/doctor.py`."""
