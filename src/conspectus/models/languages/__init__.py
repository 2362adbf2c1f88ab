"""Language models by name: providers, servers of one's own, files; all behind `models.language.LanguageModel`."""
