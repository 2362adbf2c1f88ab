"""`chat` and conversations: lines that are piped in, a terminal, and what is left afterwards."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_cases import QUESTION, Run, body

from helpers import write_jsonl
from language_server import LanguageServer, Say, error, request_text, serve_script
from oracle import reader, task

pytestmark = pytest.mark.model

FOLLOW_UP = "And where do they gather?"
STANDALONE = "Where do mitochondria gather before a cell of a lace plant leaf dies?"
GATHER = "Mitochondria gather around the nucleus before a cell of the leaf dies."


def script(**others: Any) -> Any:
    return reader("mitochondria", standalone={"question": STANDALONE}, **others)


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    with serve_script(script()) as found:
        yield found


def lines(*words: str) -> str:
    return "".join(f"{word}\n" for word in words)


def test_questions_can_be_piped_in(
    own: Path, run: Run, server: LanguageServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of questions would have to be typed; nobody would see which answer belongs to which of them."""
    monkeypatch.chdir(tmp_path)
    asked = (QUESTION, "", FOLLOW_UP, "/sources", "/evidence", "/history", "/save talk.md", "/quit", "never asked")
    result = run("--library", own, "chat", "--model", server.url, input=lines(*asked))
    assert (result.exit_code, result.stderr) == (0, "")
    parts = result.stdout.split("\n? ")
    assert [part.partition("\n")[0].removeprefix("? ") for part in parts] == [one for one in asked[:-1] if one]
    first, second, sources, evidence, history, saved, _ = parts
    assert f"{GATHER}[1]" in first and "  [1] Green et al. 2011" in first and "Asked as" not in first
    assert f"Asked as: {STANDALONE}" in second
    assert "Mitochondria in lace plant leaves" in sources and "cited in 1, 2" in sources
    assert "/10  [Green et al. 2011]" in evidence and "It is said." in evidence and GATHER in evidence
    assert f"asked as: {STANDALONE}" in history
    assert "Wrote 2 answers to talk.md." in saved and FOLLOW_UP in (tmp_path / "talk.md").read_text("utf-8")


def test_the_page_of_a_citation_is_shown(own: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader would have to copy an id to see the sentence on its page."""
    monkeypatch.chdir(tmp_path)
    with serve_script(reader("transit")) as server:
        asked = lines("How deep is the transit of the Earth?", "/open 1", "/open 99", "/open")
        result = run("--library", own, "chat", "--model", server.url, input=asked)
    assert result.exit_code == 1 and "There is no note 99" in result.stderr and "Which note?" in result.stderr
    name = result.stdout.partition("? /open 1\n")[2].splitlines()[0]
    assert name.endswith(".png") and (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    kept = json.loads(run("--library", own, "answers", "show", "last", "--json").stdout)
    assert Path(name).stem in json.dumps(kept["answer"]["statements"][0]["citations"])
    assert f" · {Path(name).stem}" not in result.stdout


def test_a_question_that_fails_does_not_end_it(own: Path, run: Run) -> None:
    """The rest of a long list would be lost; or a script would not notice that some of it failed."""
    failing = iter([error(418, "out of order")])

    def answers(body: dict[str, Any]) -> Any:
        return (next(failing, None) if task(body) == "write" else None) or script()(body)

    with serve_script(answers) as server:
        asked = lines(QUESTION, "/evidence", "/sorces", "/frobnicate", "/model gpt5", QUESTION)
        result = run("--library", own, "chat", "--model", server.url, "--depth", "quick", input=asked)
    assert result.exit_code == 1
    told = result.stderr
    assert "out of order" in told and "There is no answer yet" in told and "Did you mean '/sources'?" in told
    assert "no command '/frobnicate'" in told and "no language model 'gpt5'" in told
    assert GATHER in result.stdout.partition(f"? /model gpt5\n? {QUESTION}")[2]


def test_sources_have_the_labels_of_the_answers_above(own: Path, run: Run, tmp_path: Path) -> None:
    """`[Katz 2026a]` means one paper in one answer and another in the next: the reader would look up the wrong one."""
    said = {
        "On cats at night": "Cats purr at night in the old barn of the farm because they are content there.",
        "On dogs at noon": "Dogs bark at noon by the gate of the castle because strangers are passing there.",
    }
    records = [{"title": one, "abstract": text, "authors": ["Katz, Ada"], "year": 2026} for one, text in said.items()]
    run("--library", own, "add", write_jsonl(tmp_path / "katz.jsonl", records))
    asked = lines("Why do cats purr at night in the barn?", "Why do dogs bark at noon by the gate?", "/sources")
    with serve_script(
        reader("purr", "bark", standalone={"question": "Why do dogs bark at noon by the gate?"})
    ) as server:
        result = run("--library", own, "chat", "--model", server.url, input=asked)
    assert result.exit_code == 0, result.stderr
    *answers, sources = result.stdout.split("\n? ")
    for title in said:
        own_labels = [re.findall(rf"^  \[(Katz 2026\w?)\] .*{title}", answer, re.M) for answer in answers]
        assert all(len(found) == 1 for found in own_labels), result.stdout
        where = ", ".join(f"{turn} as [{label}]" for turn, (label,) in enumerate(own_labels, 1))
        assert re.search(rf"{title}\n.* · cited in {re.escape(where)}\n", sources), sources
    assert answers[0].count("[Katz 2026a]") and "cited in 1 as [Katz 2026b], 2 as [Katz 2026a]" in sources


def test_json_is_a_line_an_answer(own: Path, run: Run, server: LanguageServer) -> None:
    """A program that asks could not tell where an answer ends."""
    asked = lines(QUESTION, FOLLOW_UP, "/sources", "/evidence", "/history", "/model", "/help", "/open 9", "/new")
    result = run("--library", own, "--json", "chat", "--model", server.url, input=asked)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert {one["schema"] for one in found} == {"conspectus.chat/1"}
    assert [one.get("command", "") for one in found] == [
        *("", "", "sources", "evidence", "history", "model", "help", "new")
    ]
    assert found[1]["standalone"] == STANDALONE and found[0]["conversation"] == found[1]["conversation"]
    assert found[2]["papers"][0]["turns"] == [1, 2]
    assert found[2]["papers"][0]["labels"] == ["Green et al. 2011"] * 2 and found[3]["evidence"][0]["score"] > 0
    assert [one["question"] for one in found[4]["answers"]] == [QUESTION, FOLLOW_UP]
    assert found[5]["model"] == server.url and "/open N" in found[6]["commands"]
    assert json.loads(result.stderr)["error"]["type"] == "NotFoundError" and result.exit_code == 1


def test_it_goes_on_in_another_process(
    own: Path, program: Callable[..., subprocess.CompletedProcess[bytes]], run: Run, server: LanguageServer
) -> None:
    """A conversation would end with its window."""
    start = ("--library", own, "chat", "--model", server.url)
    first = program(*start, input=lines(QUESTION).encode())
    assert (first.returncode, first.stderr) == (0, b"")
    second = program(*start, "--resume", "last", input=lines("/evidence", FOLLOW_UP).encode())
    assert second.returncode == 0 and QUESTION.encode() in second.stderr
    assert GATHER.encode() in second.stdout.partition(FOLLOW_UP.encode())[0], "/evidence knows the last answer"
    (asked,) = (body for body in server.requests if task(body) == "standalone")
    assert QUESTION in request_text(asked)
    unknown = run(*start, "--resume", "con-none", input="")
    assert unknown.exit_code == 2 and "no conversation 'con-none'" in unknown.stderr


def test_conversations_are_looked_after(own: Path, run: Run, tmp_path: Path) -> None:
    """They would pile up, unnamed; one in which nothing was asked is not kept at all."""
    assert run("--library", own, "chat", input="/help\n").exit_code == 0
    assert (
        body(run("--library", own, "--json", "answers", "conversations"), "answers.conversations")["conversations"]
        == []
    )
    assert run("--library", own, "chat", input=lines(QUESTION, "/new", "What do tides do?")).exit_code == 0
    newest, oldest = body(run("--library", own, "--json", "answers", "conversations"), "answers.conversations")[
        "conversations"
    ]
    assert (oldest["title"], oldest["turns"], newest["title"]) == (QUESTION, 1, "What do tides do?")
    assert f"{newest['id']}\t" in run("--library", own, "answers", "conversations", "--limit", "1").stdout
    shown = run("--library", own, "answers", "conversation", oldest["id"]).stdout
    assert f"1. {QUESTION}" in shown and "Mitochondria in lace plant leaves" in shown
    renamed = run("--library", own, "answers", "rename-conversation", oldest["id"], "Lace")
    assert f"Renamed {oldest['id']}  Lace" in renamed.stdout
    whole = body(run("--library", own, "--json", "answers", "conversation", oldest["id"]), "answers.conversation")[
        "conversation"
    ]
    assert whole["title"] == "Lace" and whole["answers"][0]["question"] == QUESTION
    exported = run("--library", own, "export", oldest["id"], "--to", "md")
    assert exported.stdout.startswith("# Lace\n") and "[^1]:" in exported.stdout
    words = ("--library", own, "--json", "answers")
    removed = body(run(*words, "remove-conversation", oldest["id"]), "answers.remove-conversation")
    assert removed["removed"]["id"] == oldest["id"]
    assert [one["question"] for one in body(run(*words, "list"), "answers.list")["answers"]] == ["What do tides do?"]


class Terminal:
    """A program at a terminal, and what has been shown on it."""

    def __init__(self, *words: str | Path, **environment: str) -> None:
        import pty

        self.side, other = pty.openpty()
        command = [sys.executable, "-m", "conspectus", *map(str, words)]
        env = {**os.environ, "TERM": "xterm", "PAGER": "cat", **environment}
        self.process = subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=env)
        os.close(other)
        self.shown = ""
        self._seen = 0

    def wait_for(self, text: str) -> str:
        """What is shown behind what was waited for last, up to `text`."""
        end = time.monotonic() + 120
        while text not in self.shown[self._seen :]:
            assert time.monotonic() < end, f"{text!r} is not in {self.shown[self._seen :]!r}"
            if select.select([self.side], [], [], 1)[0]:
                try:
                    self.shown += os.read(self.side, 65536).decode("utf-8", "replace")
                except OSError as gone:  # the program has ended
                    assert text in self.shown[self._seen :], self.shown
                    raise AssertionError from gone
        end_of_it = self.shown.index(text, self._seen) + len(text)
        part, self._seen = self.shown[self._seen : end_of_it], end_of_it
        return part

    def type(self, text: str) -> None:
        os.write(self.side, text.encode())

    def ended(self) -> int:
        with contextlib.suppress(OSError):
            while select.select([self.side], [], [], 60)[0]:
                if not (more := os.read(self.side, 65536)):
                    break
                self.shown += more.decode("utf-8", "replace")
        return self.process.wait(60)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.side)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
def test_at_a_terminal(own: Path) -> None:
    """Ctrl-C ends the answer in hand, Ctrl-D the conversation; a model's words do not command the terminal."""
    slow = {"on": True}

    def answers(body: dict[str, Any]) -> Any:
        if task(body) == "standalone":
            return {"question": f"{STANDALONE}\x1b[2J"}
        said = script()(body)
        return Say(object=said, delay=60.0 if slow["on"] and task(body) == "gather" else 0.0)

    with serve_script(answers) as server:
        terminal = Terminal("--library", own, "chat", "--model", server.url, NO_COLOR="1")
        try:
            terminal.wait_for("> ")
            terminal.type(f"{QUESTION}\n")
            terminal.wait_for("found ")
            terminal.process.send_signal(signal.SIGINT)
            terminal.wait_for("Stopped.")
            terminal.wait_for("> ")
            slow["on"] = False
            terminal.type(f"{QUESTION}\n")
            assert "nucleus" in terminal.wait_for("passages read")
            terminal.wait_for("> ")
            terminal.type(f"{FOLLOW_UP}\n")
            assert "Asked as: Where do mitochondria" in terminal.wait_for("passages read")
            terminal.wait_for("> ")
            time.sleep(1)  # a signal between the prompt and its waiting is seen at the next key only
            terminal.process.send_signal(signal.SIGINT)
            terminal.wait_for("Ctrl-D or /quit")
            terminal.wait_for("> ")  # only now a key is a key
            terminal.type("\x04")
            terminal.wait_for("chat --resume con-")
            assert terminal.ended() == 0
        finally:
            terminal.close()
    assert "\x1b[2J" not in terminal.shown and "Traceback" not in terminal.shown
