"""Pages that are no article: a login, an error, a check for robots."""

from __future__ import annotations

import re

from conspectus.errors import EmptyTextError, InputError
from conspectus.parse.web.meta import Named
from conspectus.parse.web.tree import Element, elements, plain_text

_LOGIN = re.compile(
    r"\b(?:log[ -]?in|sign[ -]?in|authentication required|institutional (?:access|login)|single sign-on|shibboleth"
    r"|create (?:an )?account|session (?:has )?expired|please log)\b",
    re.I,
)
_ERROR = re.compile(
    r"\b(?:404|403|500|502|503|page not found|not found|access denied|forbidden|internal server error|bad gateway"
    r"|service unavailable|something went wrong|an error (?:has )?occurred|gateway time-?out|too many requests)\b",
    re.I,
)
_ROBOT = re.compile(
    r"\b(?:just a moment|checking your browser|are you (?:a )?(?:human|robot)|captcha"
    r"|verify (?:that )?you are (?:a )?human"
    r"|unusual traffic|enable javascript and cookies"
    r"|ddos protection|attention required)\b",
    re.I,
)
_LONG = 1500
"""Characters: a page with more text is an article, whatever it says at its top."""

_LOGIN_HINT = "The download may have met a login: open the address in a browser, sign in, and save the page again."
_KINDS = (
    (_ROBOT, "looks like a check for robots", "Open the address in a browser and save the page from there."),
    (_ERROR, "looks like an error page", "Look whether its address is right, and fetch it again."),
    (_LOGIN, "looks like a login page", _LOGIN_HINT),
)


def refuse_no_article(root: Element, named: Named, name: str) -> None:
    """Does nothing for a page that may be an article.

    Raises:
        InputError: The page is clearly something else; the message says what.
        EmptyTextError: There are no words in it.
    """
    body = next(elements(root, "body"), root)
    for script in [*elements(body, "script", "style", "noscript")]:
        script.text = script.text if "math" in (script.get("type") or "") else None
    text = plain_text(body)
    if named.get("citation_title") or named.get("citation_abstract") or len(text) > _LONG:
        return
    title = " ".join(plain_text(e) for e in [*elements(root, "title"), *elements(body, "h1", "h2")])
    password = any((e.get("type") or "").lower() == "password" for e in elements(body, "input"))
    if password:
        raise InputError(f"'{name}' looks like a login page.", _LOGIN_HINT)
    for pattern, what, hint in _KINDS:
        if pattern.search(title) or (len(text) < 300 and pattern.search(text)):
            raise InputError(f"'{name}' {what}.", hint)
    if not text and not named:
        raise EmptyTextError(
            f"'{name}' has no text in it.", "Its text may be put there by a program: save it from a browser."
        )
