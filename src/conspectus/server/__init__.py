"""The HTTP API and the page: verbs of a library over the web. Each router is a few lines over `library` and `wire`."""
