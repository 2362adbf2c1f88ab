"""PDF files: text in reading order with the place of every sentence, figures, and pages drawn with highlights.

Every word ends with a disposition: text, metadata, figure, furniture or hidden. What no step takes becomes text, and
hidden text is kept apart. Front matter is only what is identified as such. Pages without a text layer can be recognised
(`ocr`).
"""

PDF_READER_VERSION = 11
"""Raised whenever the same file may come to be read otherwise."""
