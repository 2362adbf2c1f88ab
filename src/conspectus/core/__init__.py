"""What every room stands on: the disk, HTTP, retries, characters, bounds, zip files."""
