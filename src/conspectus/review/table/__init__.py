"""Tables of papers by columns, each cell with the sentences that it rests on."""
