"""How much text a call of a language model has room for."""

from __future__ import annotations

CHARS_PER_TOKEN = 3
"""Of scientific English, on the safe side."""
PROMPT_TOKENS = 700
"""What a prompt takes without the texts that it is about, on the safe side."""
MOST_CHARS = 6000
"""Of papers' text in one call that reads it, also where there is room for more."""
NUMBERED = 0.85
"""The part of a prompt's room that text fills; the numbers of sentences have the rest."""
LEAST_ROOM = 600
"""Characters of a text even where a model's context has no room for them: the model then says so itself."""


def chars_left(context: int, answer_tokens: int) -> int:
    """Characters that fit a model's context of so many tokens beside a prompt and its answer."""
    return (context - min(answer_tokens, context // 3) - PROMPT_TOKENS) * CHARS_PER_TOKEN


def room(context: int, answer_tokens: int) -> int:
    """Characters of numbered sentences that a call has room for (S5); `MOST_CHARS` where the context is not known."""
    if not context:
        return MOST_CHARS
    return max(LEAST_ROOM, min(MOST_CHARS, int(chars_left(context, answer_tokens) * NUMBERED)))
