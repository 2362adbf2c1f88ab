"""Review a body of literature: tables whose cells have their sentences."""
