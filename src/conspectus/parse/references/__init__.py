"""References: entries of printed lists, lists in any text, and the marks in a text that lead to them."""
