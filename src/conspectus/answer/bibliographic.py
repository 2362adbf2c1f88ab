"""Queries for bibliographic services (F11, `bibliometric`): written by a model, their syntax checked, not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from urllib.parse import parse_qsl

import msgspec

from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced

MOST = 2000
"""Characters of a query."""

ADS_FIELDS = frozenset(
    "abs abstract ack aff alternate_bibcode alternate_title arxiv_class author author_count bibcode bibgroup bibstem "
    "body citation_count citations citis collection data database date doctype doi editions_count entdate entry_date "
    "first_author full grant id identifier inst isbn issn issue keyword lang mention_count object orcid orcid_pub "
    "orcid_user page property pub pubdate read_count reference references similar title topn trending useful vizier "
    "volume year reviews simbid planetary_feature uat".split()
)
ADS_OPERATORS = frozenset("citations references trending useful reviews similar topn pos docs instructive".split())
OPENALEX_KEYS = frozenset(
    "search filter sort per-page per_page page cursor group_by group-by sample seed select".split()
)
_QUOTED = re.compile(r'"[^"]*"')


class QueryReplies(msgspec.Struct):
    """What the prompt `bibliographic` gives."""

    ads: str
    openalex: str
    pubmed: str
    explanation: str


async def queries(client: LlmClient, question: str) -> QueryReplies:
    """A query for each service.

    Raises:
        ModelAnswerError: the second answer, too, has one that its service would not take.
    """
    values = {"question": fenced("question", question)}
    reply = await client.ask("write", "bibliographic", values, OutputSpec(QueryReplies, trouble))
    ads, openalex, pubmed = (" ".join(part.split()) for part in (reply.ads, reply.openalex, reply.pubmed))
    return QueryReplies(ads, openalex, pubmed, cleaned(reply.explanation)[0])


def trouble(reply: QueryReplies) -> str:
    """What is wrong with one of the queries; "" where nothing is."""
    checks: dict[str, Callable[[str], str]] = {"ads": ads, "openalex": openalex, "pubmed": pubmed}
    for service, check in checks.items():
        if wrong := check(" ".join(getattr(reply, service).split())):
            return f"the query for {service} {wrong}"
    return ""


def ads(query: str) -> str:
    """What NASA ADS would not take in a query."""
    if wrong := _common(query):
        return wrong
    bare = _QUOTED.sub('""', query)
    for name in re.findall(r"(?<![A-Za-z_])[=^]?([A-Za-z_]++)\s*+:", bare):
        if name.lower() not in ADS_FIELDS:
            return f"has the field '{name}', which is not one of its fields"
    for name in re.findall(r"(?<![A-Za-z_])([A-Za-z_]++)\(", bare):
        if name.lower() not in ADS_OPERATORS and name not in ("AND", "OR", "NOT", "NEAR"):
            return f"has the operator '{name}()', which is not one of its operators"
    return _words(bare)


def pubmed(query: str) -> str:
    """What PubMed would not take in a query."""
    if wrong := _common(query):
        return wrong
    bare = _QUOTED.sub('""', query)
    if bare.count("[") != bare.count("]") or re.search(r"\[[^\]]*\[|\][^\[]*\]", bare):
        return "has square brackets that do not close"
    for tag in re.findall(r"\[([^\[\]]*+)\]", bare):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9 /:~*-]*", tag):
            return f"has the field '[{tag}]', which is not one of its fields"
    return _words(re.sub(r"\[[^\[\]]*+\]", "", bare))


def openalex(query: str) -> str:
    """What OpenAlex would not take in the query part of an address of its works."""
    query = query.lstrip("?")
    if not query or len(query) > MOST:
        return _common(query)
    pairs = parse_qsl(query, keep_blank_values=True)
    if not pairs or "=" not in query:
        return "is not of the form search=…&filter=…"
    return next((wrong for key, value in pairs if (wrong := _parameter(key, value))), "")


def _parameter(key: str, value: str) -> str:
    base = key.split(".", maxsplit=1)[0]
    if base not in OPENALEX_KEYS:
        return f"has the parameter '{key}', which is not one of its parameters"
    if not value.strip():
        return f"has nothing after '{key}='"
    if base == "filter" and not all(re.fullmatch(r"[a-z0-9_.-]+:[^,]+", part) for part in value.split(",")):
        return "has a filter that is not of the form name:value,name:value"
    return ""


def _common(query: str) -> str:
    if not query:
        return "is empty"
    if len(query) > MOST:
        return f"has more than {MOST} characters"
    if query.count('"') % 2:
        return "has a quotation mark that does not close"
    depth = 0
    for sign in _QUOTED.sub("", query):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
    return "has brackets that do not close" if depth else ""


def _words(bare: str) -> str:
    """What is wrong with AND, OR and NOT."""
    parts = re.findall(r"\(|\)|[^\s()]+", bare)
    if not parts or parts[-1] in ("AND", "OR", "NOT") or parts[0] in ("AND", "OR"):
        return "begins or ends with AND, OR or NOT"
    for first, second in pairwise(parts):
        if (first in ("AND", "OR", "NOT", "(") and second in ("AND", "OR")) or (first, second) == ("(", ")"):
            return f"has '{first} {second}', where something is missing"
        if first in ("AND", "OR", "NOT") and second == ")":
            return f"has '{first} )', where something is missing"
    return ""
