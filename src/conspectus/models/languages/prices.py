"""What a call costs, from the price list of `genai-prices`; nothing is looked up on the network."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from conspectus.models.language import Tokens


def price(tokens: Tokens, model: str, address: str) -> float | None:
    """US dollars; None where the list does not have the model at that address.

    The name alone is not enough: a server of one's own may call its model as it likes.
    """
    if tokens.estimated or is_own(address):
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=tokens.prompt, cache_read_tokens=tokens.cached or None, output_tokens=tokens.completion)
    try:
        return float(calc_price(usage, model, provider_api_url=address).total_price)
    except LookupError:
        return None


def window(model: str, address: str) -> int:
    """Tokens of the model's context, from the same list; 0 where it is not there."""
    if is_own(address):
        return 0
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, found = get_snapshot().find_provider_model(model, None, None, address)
    except LookupError:
        return 0
    return found.context_window or 0


def is_own(address: str) -> bool:
    """Whether an address is of this machine or network, of which the list has no prices: it need not be read."""
    host = urlsplit(address).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return host == "localhost"
