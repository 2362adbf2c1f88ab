"""How far papers agree on a claim: each paper is judged alone by its own sentences, and a rule gives the level."""
