"""What a question is about and no paper of the library mentions, in any form: names, and words of specialists."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from conspectus.answer.factual_sentences import WORD
from conspectus.answer.sentences import QuotableSentence, ReadPassages
from conspectus.core.groups import grouped
from conspectus.core.text import UNSPACED
from conspectus.index.protocol import SearchIndex
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Filters, normal_name
from conspectus.records.filters import Stands
from conspectus.search.encoded_query import EncodedQuery
from conspectus.search.question_flags import find_names, word_forms
from conspectus.search.retriever import Retriever
from conspectus.verify.folded_text import GREEK

SAID_OTHERWISE = 0.58
"""A word counts as said in other words where some word that was read has this cosine with it. Of words that the papers
say otherwise ("cobalamin", "malformations") the least was 0.60; drugs and animals that they do not have are below."""
SAID_NEXT_TO_IT = 0.7
"""The same where another paper that was read has the word itself: what is merely near to it then is another thing."""
SHORTEST = 5
"""Letters of a word of specialists, at least."""
STEM = 6
"""Letters in which a name and its form in a text begin alike, at least."""
_NUMBERED = re.compile(r"[^\W\d_]{2,}[ -]\d+")
"""A designation of a name and a number: "Sentinel-9", "NGC 9999"."""
_JOINED = re.compile(r"[\s/]+|-{2,}")
"""What stands between the words of a name: "HIV/AIDS"."""
_HUNG_ON = re.compile(r"(?<=\w\w)--?[a-z]{3,}+(?!\S)")
"""What is hung on a name: "HIV-related", "EGFR-mutant"."""
_NUMBER = re.compile(r"\d")
_SPELLINGS = str.maketrans({**GREEK, "æ": "e", "œ": "e"})
_ABBREVIATED = re.compile(r"\b[A-Z][a-z]{2,4}\b")


def find_missing(retriever: Retriever, query: EncodedQuery, reading: ReadPassages) -> list[str]:
    """The names in a question, and its words of specialists, that no paper mentions, in the order of the question."""
    names, special = _find_terms(retriever, query)
    missing = [name for name in names if _is_missing(retriever, name, reading)]
    missing += [word for word, place in special.items() if not _is_said(retriever, word, place, reading)]
    return sorted(dict.fromkeys(missing), key=query.text.find)


def explain_missing(retriever: Retriever, query: EncodedQuery, reading: ReadPassages) -> str:
    """Says what the question is about and no paper mentions; "": nothing."""
    missing = find_missing(retriever, query, reading)
    if not missing:
        return ""
    names = " or ".join(f"'{name}'" for name in missing)
    return f"No paper in the library mentions {names}, which the question is about. It may be spelled differently."


def drop_other_subjects(
    retriever: Retriever,
    query: EncodedQuery,
    reading: ReadPassages,
    sentences: Sequence[QuotableSentence],
    others: Sequence[QuotableSentence],
) -> tuple[list[QuotableSentence], str]:
    """The sentences of papers that mention what a question names, and its words of specialists.

    A paper has to mention half of them. If the papers of all sentences lack them all, a name excludes these sentences
    and is the second value; words of specialists exclude nothing, since what they mean may be said in other words,
    unless one of `others` has such a word and is nearer to the question.
    """
    names, special = _find_terms(retriever, query)
    terms: list[str] = []
    mentioned = Counter[str]()
    for term in (*names, *map(str.lower, special)):
        papers = _find_mentioning(retriever, query, reading, term)
        if papers or (papers is not None and term in names):
            terms.append(term)
            mentioned.update(papers)
    name = next((term for term in terms if term in names), "")
    if name and not any(mentioned[sentence.paper.id] for sentence in sentences):
        return [], name
    if on_subject := [sentence for sentence in sentences if 2 * mentioned[sentence.paper.id] >= len(terms)]:
        return on_subject, ""
    least = max((sentence.score for sentence in sentences), default=1.0)
    rare = [plain_letters(word) for word in special]
    nearer = [
        sentence for sentence in others if sentence.score > least and _has_any(plain_letters(sentence.span.text), rare)
    ]
    return nearer or list(sentences), ""


def _find_terms(retriever: Retriever, query: EncodedQuery) -> tuple[tuple[str, ...], dict[str, int]]:
    """The names in a question, and its words of specialists with their places among its words."""
    everyday = retriever.everyday() or ()
    names = [name for name in find_names(query.text) if not (name.isupper() and name.lower() in everyday)]
    in_names = {word.lower() for name in names for word in WORD.findall(name)}
    words = {word: place for place, word in enumerate(query.content.texts) if word.lower() not in in_names}
    return tuple(names), {word: place for word, place in words.items() if _is_special(retriever, word)}


def _find_mentioning(retriever: Retriever, query: EncodedQuery, reading: ReadPassages, term: str) -> set[str] | None:
    """The ids of the papers read that mention a term in any form, or speak of it; None of what cannot be looked for."""
    everyday = retriever.everyday() or ()  # "West" of a "West African" says little
    parts = [word for word in _split_name(term) if word.lower() not in everyday]
    if not parts or _is_venue(retriever, parts):
        return None
    read = grouped((sentence.paper.id, sentence) for sentence in reading.candidates)
    literal = {paper for paper, sentences in read.items() if any(_is_in(word, sentences) for word in parts)}
    least = SAID_NEXT_TO_IT if literal else SAID_OTHERWISE
    plain = {word.lower() for word in parts if not _NUMBER.search(word)}
    at = [place for place, word in enumerate(query.content.texts) if word.lower() in plain]
    return literal | {
        passage.paper for passage in reading.measured if any(float(passage.near[place]) >= least for place in at)
    }


def _split_name(name: str) -> list[str]:
    """The words of a name by which it is known; a designation is one."""
    if _NUMBERED.fullmatch(name):
        return [name]
    while (shorter := _HUNG_ON.sub("", name)) != name:
        name = shorter
    words = (word for word in _JOINED.split(name) if WORD.search(word) and not UNSPACED.search(word))
    return [word for word in words if word.lower() not in STOP_WORDS]


def _has_any(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def _is_in(word: str, of_paper: Sequence[QuotableSentence]) -> bool:
    """Whether a paper's title, an author's name or a passage that was read has a word, as it is or in another form."""
    plain, paper = plain_letters(word), of_paper[0].paper
    texts = {paper.title, *(author.name for author in paper.authors), *(sentence.passage.text for sentence in of_paper)}
    return any(plain in plain_letters(text) for text in texts) or _in_another_form(
        word, ReadPassages(list(of_paper), [])
    )


def _is_special(retriever: Retriever, word: str) -> bool:
    """Whether a word is none of everyday English; no word is where that is not known."""
    everyday = retriever.everyday()
    known = len(word) < SHORTEST or not word.isalpha() or not word.isascii() or not everyday
    return not known and not any(form in everyday for form in word_forms(word.lower()))


def _is_said(retriever: Retriever, word: str, place: int, reading: ReadPassages) -> bool:
    """Whether a passage has a word of specialists, in any form, or says it otherwise."""
    if _stands(retriever.index, word) or _is_venue(retriever, [word]):
        return True
    near = max((float(passage.near[place]) for passage in reading.measured), default=1.0)
    return near >= SAID_OTHERWISE or _in_another_form(word, reading)


def _is_missing(retriever: Retriever, name: str, reading: ReadPassages) -> bool:
    """Whether no passage has any word of a name."""
    words = _split_name(name)
    if not words or any(_stands(retriever.index, word) for word in words) or _is_venue(retriever, words):
        return False
    return not any(_in_another_form(word, reading) for word in words)


def _stands(index: SearchIndex, word: str) -> bool:
    """Whether a passage has a word; of a designation, its parts one behind the other, or written as one."""
    if not _NUMBERED.fullmatch(word) or not index.has(word):
        return index.has(word) or index.has("".join(WORD.findall(word)))
    return index.count("", Filters(), Stands(word)).passages > 0 or index.has("".join(WORD.findall(word)))


def _is_venue(retriever: Retriever, words: Sequence[str]) -> bool:
    """Whether a journal of the library has one of the words in its name."""
    known = {word for venue in retriever.catalog.facet_values("venue") for word in normal_name(venue).split()}
    return not known.isdisjoint(normal_name(" ".join(words)).split())


def _in_another_form(word: str, reading: ReadPassages) -> bool:
    """Whether a passage that was read has a word abbreviated, spelt out, inflected, or in another spelling.

    "U Sgr" for "Sagittarii", "alpha" for "α", "unresponsive wakefulness syndrome" for "UWS", "N-acetylaspartate" for
    "acetyl-aspartate". A number tells one name from another, so that a name with one has no other form.
    """
    if any(sign.isdigit() for sign in word):
        return False
    plain = plain_letters(word)
    passages = {sentence.passage.id: sentence.passage for sentence in reading.candidates}
    for passage in passages.values():
        words = WORD.findall(passage.text)
        if word.isupper() and len(word) > 2 and is_spelt_out(word.lower(), words):
            return True
        if word[0].isupper() and any(is_abbreviation(form, word) for form in _ABBREVIATED.findall(passage.text)):
            return True
        text = plain_letters(passage.text)
        if plain in text if len(plain) < STEM else plain[: max(STEM, len(plain) - 3)] in text:
            return True
    return False


def plain_letters(text: str) -> str:
    """Letters and digits only, Greek ones by name, and in one spelling: "ae" and "oe" as "e", "$S_8$" as "s8"."""
    folded = "".join(WORD.findall(unicodedata.normalize("NFKC", text).lower().translate(_SPELLINGS))).replace("_", "")
    return folded.replace("ae", "e").replace("oe", "e")


def is_spelt_out(acronym: str, words: Sequence[str]) -> bool:
    """Whether words one behind the other begin with the letters of an acronym."""
    initials = "".join(word[0].lower() for word in words)
    return acronym in initials


def is_abbreviation(form: str, name: str) -> bool:
    """Whether a short form has some letters of `name`, in its order and from its first on."""
    letters = iter(name.lower())
    return form[0] == name[0] and len(form) < len(name) - 2 and all(letter in letters for letter in form.lower())
