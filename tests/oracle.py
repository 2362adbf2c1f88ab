"""Scripts for `language_server`: a reader that makes no mistakes, and what it needs to know of a request."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from language_server import Answer, request_text

_SENTENCE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_EVIDENCE = re.compile(
    r"<evidence-(\w+) id=\"(e\d+)\"[^>]*>(?:\nsummary: (.*))?((?:\n\[e\d+\.\d+\] .*)*)\n</evidence-\1>"
)


def task(body: Mapping[str, Any]) -> str:
    """The prompt that a request is made of: the name of the object that it wants; "" where it wants none."""
    wanted = body.get("response_format") or {}
    return str(wanted.get("json_schema", {}).get("name", ""))


def sentences(body: Mapping[str, Any]) -> dict[int, str]:
    """The numbered sentences of the passage in a request."""
    return {int(number): text for number, text in _SENTENCE.findall(request_text(body))}


_PASSAGE = re.compile(r"<passage-(\w+) number=\"(\d+)\".*?</passage-\1>", re.DOTALL)


def read_each(body: Mapping[str, Any], one: Callable[[dict[str, Any]], Any]) -> Any:
    """What the prompt `gather` wants of all passages in a request, by what `one` says of a request with one of them.

    Where it says no object, as a useless answer, that is said of them all.
    """
    said = request_text(body)
    passages = list(_PASSAGE.finditer(said))
    if not passages:
        return one(dict(body))
    before, after = said[: passages[0].start()], said[passages[-1].end() :]
    found = {int(each[2]): one({**body, "messages": [{"content": before + each[0] + after}]}) for each in passages}
    useless = [each for each in found.values() if not isinstance(each, dict)]
    if useless:
        return useless[0]
    one_by_one = {number: each.get("readings", [each])[0] for number, each in found.items()}
    return {"readings": [{**each, "passage": number} for number, each in one_by_one.items()]}


def evidence(body: Mapping[str, Any]) -> dict[str, str]:
    """The evidence in a request: id -> its sentences."""
    found = {one[1]: re.findall(r"\n\[e\d+\.\d+\] (.*)", one[3]) for one in _EVIDENCE.findall(request_text(body))}
    return {name: " … ".join(said) for name, said in found.items() if said}


def reader(*words: str, **others: Callable[[Mapping[str, Any]], Answer] | Answer) -> Callable[[dict[str, Any]], Answer]:
    """A script that finds the sentences with one of `words`, answers with them, and judges that all is well.

    `others` are answers to the prompts of these names instead; one of the name `gather` is asked passage by passage.
    """

    def answered(body: dict[str, Any]) -> Answer:
        name = task(body)
        if name in others:
            own = others[name]
            return own(body) if callable(own) else own
        return _ANSWERS[name](body, words)

    def script(body: dict[str, Any]) -> Answer:
        return read_each(body, answered) if task(body) == "gather" else answered(body)

    return script


def _gather(body: Mapping[str, Any], words: tuple[str, ...]) -> Answer:
    found = [number for number, text in sentences(body).items() if any(word in text.lower() for word in words)]
    score = min(5 + len(found), 10) if found else 0
    return {"relevant": bool(found), "score": score, "spans": found, "summary": "It is said." if found else ""}


def _write(body: Mapping[str, Any], _: tuple[str, ...]) -> Answer:
    claims = [{"text": text.split(" … ")[0], "evidence": [name]} for name, text in evidence(body).items()]
    return {"answerable": bool(claims), "statements": claims, "missing": ""}


def _judge(body: Mapping[str, Any], _: tuple[str, ...]) -> Answer:
    count = len(re.findall(r"^\d+\. statement: ", request_text(body), re.MULTILINE))
    return {
        **dismiss_hints(body),
        "verdicts": [{"number": n, "status": "supported", "why": ""} for n in range(1, count + 1)],
    }


def dismiss_hints(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a judge says of the hints in a request who finds nothing in them."""
    hints = re.findall(r"^   hint (\d+): ", request_text(body), re.MULTILINE)
    return {"hints": [{"hint": int(number), "wrong": False} for number in hints]}


_ANSWERS: dict[str, Callable[[Mapping[str, Any], tuple[str, ...]], Answer]] = {
    "gather": _gather,
    "write": _write,
    "better": _write,
    "judge": _judge,
    "rephrase": lambda *_: {"phrasings": []},
    "critique": lambda *_: {"points": []},
    "background": lambda *_: {"text": "It is generally known."},
    "opinion": lambda *_: {"agrees": True, "why": "", "statements": []},
    "standalone": lambda *_: {"question": ""},
    "outline": lambda body, _: {
        "titles": [f"Part {n}" for n in re.findall(r"^\[(\d+)\]$", request_text(body), re.MULTILINE)]
    },
    "contradiction": lambda *_: {"verdict": "compatible", "why": "The conditions differ."},
    "bibliographic": lambda *_: {
        "ads": 'abs:"dark matter" year:2010-2020',
        "openalex": "search=dark matter&filter=publication_year:2010-2020",
        "pubmed": '"night vision"[Title/Abstract] AND 2010:2020[dp]',
        "explanation": "Papers on the matter.",
    },
}
