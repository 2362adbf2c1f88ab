"""The verbs, one module for those that belong together. Imported when called."""
