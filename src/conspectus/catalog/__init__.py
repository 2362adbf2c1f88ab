"""The source of truth: papers, passages, vectors and the ledger, in SQLite."""
