"""The kind of a question by a linear model over how it is put (F9).

The weights are in `question_kinds.json` beside this module; `benchmarks/question_kinds.py` makes them. The classes of
words that the model knows (`lexicon/words/questions.toml`) are written by hand: quantities, what is planned …. So are
glossaries of five other languages: what questions are put with is turned into English, word by word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from conspectus.lexicon import STOP_WORDS, words
from conspectus.records import QUESTION_KINDS, QuestionKind

LONGEST_RUN = 3
"""Words of a question's outline that are one feature."""
PIECES = (3, 4)
"""Letters of a word, with what is before and after it, that are one feature."""
MOST_REASONS = 3
"""Wordings that a reason quotes; what lies side by side is quoted as one."""
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
"""A question has at most so many words: each a feature."""

Spans = dict[str, tuple[int, int]]
"""Features of a question, and where in it each stands first; (0, 0): nowhere in particular."""
ENGLISH = "en"
Token = tuple[str, tuple[int, int]]
"""A word or sign, and where in the question it stands."""
LONGEST_PHRASE = 4
"""Words in a row that a glossary has something for."""

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\w\s]")
_CLAUSE = re.compile(
    r"(?:^|[,;:.?] ?|\band )(?:and )?(?:what|which|how|why|when|where|who|does|do|is|are|can|could|would)\b"
)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")


class KindModel(msgspec.Struct, frozen=True):
    """Log odds of kinds: `intercepts + Σ weights` of a question's features, in hundredths.

    Attributes:
        words: those that an outline keeps as they are; others are told by their form.
        intercepts: one a kind, in the order of `QUESTION_KINDS`.
        weights: feature -> one weight a kind.
    """

    words: frozenset[str]
    intercepts: tuple[int, ...]
    weights: dict[str, tuple[int, ...]]

    def probabilities(self, spans: Spans) -> dict[QuestionKind, float]:
        """Of each kind, that the features are those of one of it; they add up to 1."""
        odds = np.array([self.intercepts, *(self.weights[name] for name in spans if name in self.weights)]).sum(0) / 100
        raised = np.exp(odds - odds.max())
        return dict(zip(QUESTION_KINDS, (raised / raised.sum()).tolist(), strict=True))


@lru_cache(maxsize=1)
def load_kind_model() -> KindModel:
    """The one that comes with the program."""
    return msgspec.json.decode(files("conspectus.search").joinpath("question_kinds.json").read_bytes(), type=KindModel)


@lru_cache(maxsize=1)
def word_classes() -> Mapping[str, tuple[str, ...]]:
    """Word -> the classes that it belongs to."""
    classes_by_word: dict[str, tuple[str, ...]] = {}
    listed = words("questions")
    for name, members in (listed["en"] | listed["other"]).items():
        classes_by_word |= {word: (*classes_by_word.get(word, ()), name) for word in members.split()}
    return classes_by_word


def classify_question(text: str) -> tuple[QuestionKind, str]:
    """The kind that is most probable, and by which words.

    Args:
        text: a question in one line.
    """
    model = load_kind_model()
    feature_spans = features(text, model.words)
    probabilities = model.probabilities(feature_spans)
    kind = max(QUESTION_KINDS, key=probabilities.__getitem__)
    quoted = " … ".join(
        f"'{words}'" for words in _quote_evidence(text, model, feature_spans, QUESTION_KINDS.index(kind))
    )
    return kind, f"{quoted or 'how it is put'} (probability {probabilities[kind]:.2f})"


def _quote_evidence(text: str, model: KindModel, feature_spans: Spans, kind: int) -> list[str]:
    """The words that speak most for a kind, against the mean of all kinds, in the order of the question."""
    weights: Counter[tuple[int, int]] = Counter()
    for name, (first, last) in feature_spans.items():
        if (row := model.weights.get(name)) and any(map(str.isalpha, text[first:last])):
            weights[first, last] += row[kind] - round(sum(row) / len(row))
    joined: list[tuple[int, int]] = []
    for first, last in sorted(span for span, weight in weights.most_common(MOST_REASONS) if weight > 0):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return [text[first:last] for first, last in joined]


def features(text: str, kept_words: frozenset[str]) -> Spans:
    """What the model goes by: runs of a question's outline, classes of words, pieces of words, and its form.

    Args:
        text: a question in one line.
        kept_words: words that an outline keeps.
    """
    tokens = _in_english([(match[0], match.span()) for match in _TOKEN.finditer(text)])
    plain = [(plain_form(token), span) for token, span in tokens]
    classes = word_classes()
    feature_spans: Spans = {}
    shapes = [_shape(token if at[0] or token.isupper() else token[:1].lower() + token[1:]) for token, at in tokens]
    outline = [(word if word in kept_words else shape, at) for (word, at), shape in zip(plain, shapes, strict=True)]
    class_outline = [
        (classes.get(word, (shape,))[0], at) for (word, at), (shape, _) in zip(plain, outline, strict=True)
    ]
    for prefix, line in (("", outline), ("~", class_outline)):
        for name, span in _list_runs(_merge_words(line)):
            feature_spans.setdefault(prefix + name, span)
    for word, span in plain:
        for name in classes.get(word, ()):
            feature_spans.setdefault(f"has {name}", span)
        if word[0].isalpha():
            for piece in _pieces(f" {word} "):
                feature_spans.setdefault(f"#{piece}", (0, 0))
    form = _form(text, [token for token, _ in tokens], [word for word, _ in plain])
    return feature_spans | dict.fromkeys(form, (0, 0))


@lru_cache(maxsize=1)
def glossaries() -> Mapping[str, Mapping[tuple[str, ...], tuple[str, ...]]]:
    """Language -> words of questions in it, in a row -> what they are in English."""
    by_language: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {}
    for language, lines in words("questions")["glossary"].items():
        entries = (entry.partition(":") for line in lines.splitlines() for entry in line.split(";"))
        by_language[language] = {
            tuple(phrase.split()): tuple(english.split()) for english, _, many in entries for phrase in many.split(",")
        }
        by_language[language].pop((), None)
    return by_language


def find_language(text: str) -> str:
    """The language of a question, of those that have a glossary; `ENGLISH`: it, or one that has none."""
    return _find_language([plain_form(match[0]) for match in _TOKEN.finditer(text)])


def _find_language(plain: Sequence[str]) -> str:
    """The language whose glossary has most of the words, if it has more of them than there are English ones."""
    most = {name: sum((word,) in known for word in plain) for name, known in glossaries().items()}
    name = max(most, key=most.__getitem__)
    return name if most[name] > sum(word in STOP_WORDS for word in plain) else ENGLISH


def _in_english(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of a question in another language with the words that its glossary has in English."""
    plain = [plain_form(token) for token, _ in tokens]
    name = _find_language(plain)
    if name == ENGLISH:
        return [*tokens]
    known, at, english_tokens = glossaries()[name], 0, list[Token]()
    while at < len(tokens):
        length = next((n for n in range(LONGEST_PHRASE, 1, -1) if tuple(plain[at : at + n]) in known), 1)
        span = tokens[at][1][0], tokens[min(at + length, len(tokens)) - 1][1][1]
        english = known.get(tuple(plain[at : at + length]), (tokens[at][0],))
        english_tokens += [(word, span) for word in english]
        at += length
    return english_tokens


def plain_form(token: str) -> str:
    """A token as it is counted: in small letters, numbers all alike."""
    return "0" if token[0].isdigit() else token.lower().replace("’", "'")


def _shape(token: str) -> str:
    """What is in an outline for a word that it does not keep: an acronym, a name, a plural, or something else."""
    if not token[0].isalpha():
        return token
    if len(token) > 1 and token.isupper():
        return "_ACRONYM"
    if token != token.lower():
        return "_Name"
    return "_s" if token.endswith("s") and not token.endswith(("ss", "us", "is")) else "_"


def _merge_words(outline: Sequence[tuple[str, tuple[int, int]]]) -> list[tuple[str, tuple[int, int]]]:
    """The outline between its ends, words that it does not keep in a row as the last of them: "cell lines" is "_s"."""
    merged = [("<", (0, 0))]
    for word, (first, last) in outline:
        if word[0] == "_" and merged[-1][0][0] == "_":
            merged[-1] = (word, (merged[-1][1][0], last))
        else:
            merged.append((word, (first, last)))
    return [*merged, (">", (0, 0))]


def _list_runs(outline: Sequence[tuple[str, tuple[int, int]]]) -> Iterator[tuple[str, tuple[int, int]]]:
    for length in range(1, LONGEST_RUN + 1):
        for start in range(len(outline) - length + 1):
            run = outline[start : start + length]
            placed = [span for _, span in run if span[1]]
            span = (placed[0][0], placed[-1][1]) if placed else (0, 0)
            yield " ".join(word for word, _ in run), span


def _pieces(word: str) -> Iterator[str]:
    for length in PIECES:
        for start in range(len(word) - length + 1):
            yield word[start : start + length]


def _form(text: str, tokens: Sequence[str], plain: Sequence[str]) -> Iterator[str]:
    """What is told by the form of the whole."""
    lettered = [word for word in plain if word[0].isalpha()]
    yield from (f"=words {most}" for most in LENGTHS if len(lettered) <= most)
    names = sum(token != token.lower() for token in tokens[1:])
    clauses = len(_CLAUSE.findall(text.lower()))
    foreign = sum(sign.isalpha() and not sign.isascii() for sign in text)
    counted = {
        "names": names,
        "clauses": clauses,
        "?": text.count("?"),
        ",": text.count(","),
        "foreign letters": foreign,
    }
    yield from (f"={name} {least}" for name, number in counted.items() for least in (1, 2, 3) if number >= least)
    function = sum(word in STOP_WORDS for word in lettered)
    simple = {
        "no function words": not function,
        "few function words": 6 * function < len(lettered),
        "a year": _YEAR.search(text),
        "ends with ?": text.endswith("?"),
        "begins small": text[:1].islower(),
        "no letters": not lettered,
        "long words": max(map(len, lettered), default=0) >= 9,
        "no long words": max(map(len, lettered), default=0) <= 6,
    }
    yield from (f"={name}" for name, is_so in simple.items() if is_so)
