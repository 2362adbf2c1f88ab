"""Numbers of things in words."""


def pluralize(number: int, one: str, many: str = "") -> str:
    """`1 paper`, `2 papers`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
