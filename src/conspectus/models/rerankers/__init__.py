"""Rerankers: models that read a question and a text together, behind the protocol `models.protocol.Reranker`."""
