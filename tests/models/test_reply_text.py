"""The answer in what a model writes: the same however it is cut into pieces, and never its thoughts."""

import json
import random
from collections.abc import Iterator

import pytest

from conspectus.models.language import Message, ModelReply, Request
from conspectus.models.languages.registry import language_model
from conspectus.models.languages.reply_text import ReplyText
from conspectus.settings import load_settings
from language_server import Say, serve_script
from talking import ask, stream

TAGS = "We use `<analysis>` tags in XML. Then `</analysis>` we end."
KEYS = ("answerable", "text")
ANSWER = '{"answerable": true, "text": "Cats sleep } in \\"boxes\\" {often}."}'
DRAFT = '{"answerable": false, "text": "a draft"}'
REPLIES = {
    "bare": ANSWER,
    "think": f"<think>The set {{a, b}} or {DRAFT}? No.</think>\n\n{ANSWER}",
    "thinking": f"<thinking>\nIt {{begins</thinking>{ANSWER}",
    "an unbalanced quote": f'<think>the set {{"a, b</think>{ANSWER}',
    "twice": f'<think>a</think>\n<think>{{"b": 1}}</think>{ANSWER}',
    "brackets": f"[THINK]hm {DRAFT}[/THINK]{ANSWER}",
    "diamonds": f"◁think▷hm {DRAFT}◁/think▷{ANSWER}",
    "channels": (
        f"<|channel|>analysis<|message|>We {{need}} {DRAFT}<|end|><|start|>assistant"
        f"<|channel|>final <|constrain|>json<|message|>{ANSWER}<|return|>"
    ),
    "channels without their marks": f"analysisWe need {{x}} {DRAFT}assistantfinal{ANSWER}",
    "only the closing mark": f"Okay, a {{draft}}: {DRAFT} fine\n</think>\n{ANSWER}",
    "no closing mark": f"<think>so the answer is: {ANSWER}",
    "fence": f"```json\n{ANSWER}\n```",
    "thoughts and a fence": f"<think>x</think>\n```json\n{ANSWER}\n```\nDone.",
    "preface": f"Here is the JSON: {ANSWER} I hope {{this}} helps.",
    "preface with a brace": f'The set {{"x and {{y: then: {ANSWER}',
    "remark": f'{ANSWER}\nNote: {{"a": 1}}',
    "tags": f"<think>a</think><answer>{ANSWER}</answer>",
    "a mark within the answer": f"<think>a</think>{ANSWER.replace('Cats', '</think> Cats')}",
}


def cut(text: str, seed: int) -> Iterator[str]:
    """The text in pieces of random lengths; by seed 0 character by character, by seed 1 in one piece."""
    chance = random.Random(seed)
    while text:
        size = {0: 1, 1: len(text)}.get(seed, chance.choice([1, 2, 3, 7, 50]))
        yield text[:size]
        text = text[size:]


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_is_read_the_same_however_it_is_cut(name: str) -> None:
    """Else the final answer of a reasoning model breaks after everything was paid for, by how its server cuts it."""
    said = REPLIES[name]
    wanted = ANSWER.replace("Cats", "</think> Cats") if name.startswith("a mark") else ANSWER
    for seed in range(40):
        reader = ReplyText(KEYS)
        shown = "".join(map(reader.feed, cut(said, seed)))
        assert reader.finish() == wanted
        assert shown + reader.rest() == wanted, "what is shown is the answer, and nothing else"


@pytest.mark.parametrize("name", ["think", "channels", "fence", "thoughts and a fence"])
def test_an_object_after_marked_thoughts_is_shown_as_it_is_written(name: str) -> None:
    """Else who asks a reasoning model sees nothing before the end."""
    reader = ReplyText(KEYS)
    said = REPLIES[name]
    assert '"Cats' in reader.feed(said[: said.rindex("sleep")])


def test_an_answer_that_is_only_in_thoughts_is_none() -> None:
    """Else a draft that a model threw away is given out as its answer."""
    reader = ReplyText(KEYS)
    assert reader.feed(f"<think>{DRAFT}</think>I cannot answer.") == ""
    assert (reader.finish(), reader.rest()) == ("I cannot answer.", "")


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("<think>a {b} <c></think>\n\nHello <b> [x] world", "Hello <b> [x] world"),
        ("<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>", "Hi"),
        ("It is a < b [1] {c}.", "It is a < b [1] {c}."),
        (TAGS, TAGS),
        (f"<think>a</think>{TAGS}", TAGS),
        ("Use <think> before prose.", "Use <think> before prose."),
    ],
)
def test_free_text_has_no_thoughts(said: str, wanted: str) -> None:
    """Else an agent's trace shows its thoughts as what it said."""
    for seed in range(40):
        reader = ReplyText()
        shown = "".join(map(reader.feed, cut(said, seed)))
        assert (reader.finish(), shown + reader.rest()) == (wanted, wanted)


MISTAKES = {
    "a comma too many": '{"answerable": true, "text": "Cats sleep.",}',
    "single quotes": "{'answerable': True, 'text': 'Cats sleep.'}",
    "bare names": '{answerable: true, text: "Cats sleep."}',
    "a comma too few": '{"answerable": true "text": "Cats sleep."}',
    "round quotes": "{“answerable”: true, “text”: “Cats sleep.”}",
    "a brace too many": '{"answerable": true, "text": "Cats sleep."}}',
    "a fence and a preface": "Here it is:\n```json\n{'answerable': True, 'text': 'Cats sleep.'}\n```",
    "after thoughts": "<think>{a: 1}</think>{'answerable': True, 'text': 'Cats sleep.'}",
}


@pytest.mark.parametrize("name", MISTAKES)
def test_small_mistakes_cost_no_second_call(name: str) -> None:
    """Else a comma too many costs a whole call, and two of them the answer."""
    reader = ReplyText(KEYS)
    reader.feed(MISTAKES[name])
    assert json.loads(reader.finish()) == {"answerable": True, "text": "Cats sleep."}


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (r"""{"answerable": true, "text": "He said "yes", "no" and 5 \mu m",}""", r'He said "yes", "no" and 5 \mu m'),
        ('{"answerable": true, "text": "first\nsecond"}', "first\nsecond"),
    ],
)
def test_the_words_of_a_repaired_reply_are_its_own(said: str, text: str) -> None:
    """Else a quotation within an answer would break it."""
    reader = ReplyText(KEYS)
    reader.feed(said)
    assert json.loads(reader.finish())["text"] == text


@pytest.mark.parametrize(
    "said",
    [
        '{"answerable": true, "text": "Cats sleep in',
        '{"answerable": true, "text": "Cats sleep.", "spans": [1, 2}',
        '{"answerable": true, "text": "Cats", // or dogs\n}',
        '{"answerable": true, "text": "Cats"} {"answerable": false, "text": "Dogs",}',
    ],
)
def test_what_is_cut_off_or_has_more_words_is_not_repaired(said: str) -> None:
    """Else a sentence without its end, or half of the statements, would be given out as the answer."""
    reader = ReplyText(KEYS)
    reader.feed(said)
    assert reader.finish() in (said, '{"answerable": true, "text": "Cats"}')


@pytest.mark.parametrize("said", ["[" * 200_000, '{"a":' * 50_000, "<think>" * 30_000, '{"a"' * 50_000])
def test_a_hostile_reply_holds_nothing_up(said: str) -> None:
    """Else one reply of a broken server costs minutes of processor time."""
    reader = ReplyText(KEYS)
    reader.feed(said)
    assert "answerable" not in reader.finish()


@pytest.mark.parametrize("before", ["", "```json\n"])
def test_white_space_is_read_once(before: str) -> None:
    """Else a server that sends blanks holds up everything: the time would grow with the square of their number."""
    reader = ReplyText(KEYS)
    reader.feed(before)
    for _ in range(100):
        reader.feed("    ")
    assert reader._at == len(before) + 400
    assert reader.feed(ANSWER) == ANSWER


@pytest.mark.parametrize("text", [REPLIES["think"], REPLIES["only the closing mark"], ANSWER])
def test_streamed_and_whole_replies_are_the_same(text: str) -> None:
    """Else `ask` fails where the reading before it, which does not stream, went well."""
    schema = {"type": "object", "properties": {key: {} for key in KEYS}, "required": list(KEYS)}
    request = Request((Message("user", "When do cats sleep?"),), schema=schema)
    say = Say(text, thoughts=f"A thought with {DRAFT}.")
    with serve_script(lambda _: say) as server:
        model = language_model(server.url, load_settings(None, {"language.model": server.url}).language)
        (whole,) = ask(model, request)
        *pieces, streamed = stream(model, request)
    assert isinstance(streamed, ModelReply)
    assert whole.text == streamed.text == "".join(map(str, pieces)) == ANSWER


@pytest.mark.parametrize("size", [7, 8])
def test_a_chunk_that_is_nothing_but_a_mark_costs_no_answer(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else all that follows counts as thought, where a server sends the opening mark, one token, by itself."""
    monkeypatch.setattr("language_server.PIECE", size)
    schema = {"type": "object", "properties": {key: {} for key in KEYS}, "required": list(KEYS)}
    request = Request((Message("user", "When do cats sleep?"),), schema=schema)
    with serve_script([f"<think>{DRAFT}</think>{ANSWER}"]) as server:
        model = language_model(server.url, load_settings(None, {"language.model": server.url}).language)
        *_, reply = stream(model, request)
    assert isinstance(reply, ModelReply) and reply.text == ANSWER
