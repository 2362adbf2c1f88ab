"""Review papers: rank, classify, screen, tabulate and report them, each judgement with the sentence it rests on."""
