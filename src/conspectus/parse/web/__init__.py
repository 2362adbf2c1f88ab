"""Web pages and what is made like them: HTML, XHTML, the chapters of an EPUB."""
