"""Word files (`.docx`): a zip archive of XML, read part by part."""
