"""Sets of questions with the papers that answer them."""
