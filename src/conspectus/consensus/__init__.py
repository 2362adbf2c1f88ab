"""How far papers agree on a claim."""
