"""Pages that are no article: a login, an error, a check for robots."""

from __future__ import annotations

import re

from conspectus.core.errors import InputError
from conspectus.parse.web.meta import Named
from conspectus.parse.web.tree import Element, elements, nothing_in, plain_text

_ENTER = r"(?:log(?:ging)?[ -]?in|sign(?:ing)?[ -]?in|create (?:an )?account)"
_LOGIN_TITLE = re.compile(
    rf"(?:please |you (?:must|have to|need to) )?{_ENTER}(?:(?: or |/| and ){_ENTER})?"
    r"(?:[ :]+(?:to|with|via|using|for|required|page|here)\b.{0,60})?"
    r"|authentication required|(?:institutional|member|user|account) (?:access|log[ -]?in|sign[ -]?in)|single sign-on"
    r"|shibboleth.{0,40}|(?:your )?session (?:has )?expired",
    re.I,
)
_LOGIN = re.compile(
    r"\b(?:log[ -]?in (?:to|with|via|first|here)|(?:please|must|have to|need to) (?:first )?(?:log|sign)[ -]?in"
    r"|sign[ -]?in (?:to (?:see|read|view|continue|access|your)|with your)|authentication required"
    r"|institutional login|single sign-on|shibboleth|create an account|session (?:has )?expired)\b",
    re.I,
)
_ERROR_TITLE = re.compile(
    r"^(?=.*(?:\b[45]\d\d\b|found|denied|forbidden|error|gateway|unavailable|went wrong|time-?out|too many requests))"
    r"(?:(?:http|an|error|status|code|oops|whoops|sorry|the|this|that|your|our|page|file|document|article|site|access"
    r"|you requested|requested|cannot be|could not be|was|is|has been|not found|found|404|403|410|429|50[0-4]|1"
    r"|denied|forbidden|internal|server|bad gateway|gateway time-?out|service|temporarily|unavailable"
    r"|something went wrong|has|occurred"
    r"|too many requests)\b\W*+)+",
    re.I,
)
_ERROR = re.compile(
    r"\b(?:(?:error|http|status)(?: code)?\W{0,2}[45]\d\d"
    r"|[45]\d\d\W{1,3}(?:error|not found|forbidden|bad gateway|internal)"
    r"|(?:page|file|document|resource|url|address)\b[^.]{0,40}\bnot (?:be )?found|access (?:is |was )?denied"
    r"|internal server error|bad gateway|service (?:is )?(?:temporarily )?unavailable|something went wrong"
    r"|an error (?:has )?occurred|gateway time-?out|too many requests)\b",
    re.I,
)
_ROBOT_TITLE = re.compile(
    r"just a moment|one moment,? please|please wait|checking your browser.{0,40}|are you (?:a )?(?:human|robot)"
    r"|captcha|security check|(?:please )?verify (?:that )?you are (?:a )?human|unusual traffic.{0,40}"
    r"|attention required|ddos protection.{0,40}",
    re.I,
)
_ROBOT = re.compile(
    r"\b(?:checking your browser|are you (?:a )?(?:human|robot)\?|(?:solve|complete|enter) (?:the |this )?captcha"
    r"|verify (?:that )?you are (?:a )?human|unusual traffic (?:from|on) your|enable javascript and cookies"
    r"|ddos protection by)\b",
    re.I,
)
_PARTS_OF_TITLE = re.compile(r"(?<!\s)\s*+[|·»]\s*+|(?<!\s)\s++[-–—]\s++")
_LONG = 1500
"""Characters: a page with more text is an article, whatever it says at its top."""

_LONG_TITLE = 300
"""Characters: what refuses says so in less."""

_PROSE = 200
"""Characters: paragraphs with so many that say nothing of logins, errors or robots are an article's."""

_LOGIN_HINT = "The download may have met a login: open the address in a browser, sign in, and save the page again."
_OPEN_IT = "Open the address in a browser and save the page from there."
_KINDS = (
    (_ROBOT_TITLE, _ROBOT, "looks like a check for robots", _OPEN_IT),
    (_ERROR_TITLE, _ERROR, "looks like an error page", "Look whether its address is right, and fetch it again."),
    (_LOGIN_TITLE, _LOGIN, "looks like a login page", _LOGIN_HINT),
)


def refuse_no_article(root: Element, named: Named, name: str) -> None:
    """Does nothing for a page that may be an article.

    Raises:
        InputError: The page is clearly something else; the message says what.
        EmptyTextError, LimitError: There are no words in it, or they lie too deep.
    """
    body = next(elements(root, "body"), root)
    for script in [*elements(body, "script", "style", "noscript")]:
        script.text = script.text if "math" in (script.get("type") or "") else None
    text = plain_text(body)
    if named.get("citation_title") or named.get("citation_abstract") or len(text) > _LONG:
        return
    password = any((e.get("type") or "").lower() == "password" for e in elements(body, "input"))
    if password:
        raise InputError(f"'{name}' looks like a login page.", _LOGIN_HINT)
    titles = [] if _has_prose(body) else _titles(root, body)
    for whole, pattern, what, hint in _KINDS:
        if any(whole.fullmatch(title) for title in titles) or (len(text) < 300 and pattern.search(text)):
            raise InputError(f"'{name}' {what}.", hint)
    if not text and not named:
        raise nothing_in(root, name)


def _titles(root: Element, body: Element) -> list[str]:
    """What may be a short title of the page, each as a whole: parts of what the window shows, the highest headings."""
    shown = [part for e in elements(root, "title") for part in _PARTS_OF_TITLE.split(plain_text(e))]
    headings = [*elements(body, "h1")] or [*elements(body, "h2")]
    titles = (title.strip(" .…!?:") for title in (*shown, *map(plain_text, headings)))
    return [title for title in titles if len(title) < _LONG_TITLE]


def _has_prose(body: Element) -> bool:
    said = [plain_text(e) for e in elements(body, "p")]
    return sum(len(p) for p in said if not any(pattern.search(p) for _, pattern, _, _ in _KINDS)) >= _PROSE
