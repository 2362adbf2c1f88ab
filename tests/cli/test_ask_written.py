"""`ask` with a language model, and what becomes of its answers: shown, listed, asked again, exported."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from cli_cases import QUESTION, Run, body, error

from language_server import LanguageServer, Say, serve_script
from oracle import dismiss_hints, evidence, reader, task

pytestmark = pytest.mark.model
GATHER = "Mitochondria gather around the nucleus before a cell of the leaf dies."
WRONG = "About 77 percent of the cells do so."
HOSTILE = "Mitochondria \x1b[2J gather <script>alert(1)</script> [here](http://evil.example) before a cell dies."


def write(body: Mapping[str, Any]) -> Say:
    names = list(evidence(body))
    claims = [{"text": GATHER, "evidence": names[:1]}, {"text": WRONG, "evidence": names[:1]}]
    return Say(object={"answerable": True, "statements": claims, "missing": ""})


def judge(body: Mapping[str, Any]) -> Say:
    verdicts = [
        {"number": 1, "status": "supported", "why": ""},
        {"number": 2, "status": "unsupported", "why": "No such share is given."},
    ]
    return Say(object={**dismiss_hints(body), "verdicts": verdicts})


@pytest.fixture
def server() -> Iterator[LanguageServer]:
    with serve_script(reader("mitochondria gather", write=write, better=write, judge=judge)) as found:
        yield found


def ask(run: Run, library: Path, server: LanguageServer, *words: str) -> Any:
    return run("--library", library, "ask", QUESTION, "--model", server.url, *words)


def test_a_reader_sees_what_holds_and_what_does_not(run: Run, own: Path, server: LanguageServer):
    """A statement that its sentences do not carry would look like one that they do."""
    said = ask(run, own, server, "--background", "--explain")
    assert said.exit_code == 0 and said.stderr == ""
    lines = said.stdout.splitlines()
    assert lines[0] == f"{GATHER}[1] {WRONG}[1] (not supported[2])"
    notes = lines[lines.index("Notes") + 1 : lines.index("Sources") - 1]
    where, quote, why = notes
    found = re.fullmatch(r"  \[1\] Green et al. 2011 · ([a-z2-7]{10}\.s[a-z2-7]{8})", where)
    assert found and quote == f"      “{GATHER}”"
    assert why.startswith("  [2] ") and "No such share is given." in why
    opened = [run("--library", own, "open", name).stdout for name in (found[1], "1")]
    assert opened[0] == opened[1] and GATHER in opened[0]
    assert run("--library", own, "open", "2").exit_code == 2, "what speaks against a statement is no sentence"
    assert lines[lines.index("From the model, no source:") + 1] == "  It is generally known."
    assert re.search(r"model · \d+ passages read · 1 piece of evidence · [\d,]+ tokens · [\d.]+ s · ans-", lines[-1])
    quotes = ask(run, own, server, "--quotes").stdout.splitlines()
    assert quotes[0] == f"{GATHER} [Green et al. 2011]" and f"    1. “{GATHER}”" in quotes
    doubted = quotes.index(f"{WRONG} [Green et al. 2011]")
    assert quotes[doubted + 1].startswith("  (not supported: ") and "No such share is given." in quotes[doubted + 1]
    strict = ask(run, own, server, "--strict")
    assert WRONG not in strict.stdout and "left out as unsupported" in strict.stdout


def test_json_has_all_that_an_answer_has(run: Run, own: Path, server: LanguageServer):
    """A program could not tell why a statement is doubted, what an answer cost, or how it is called."""
    found = body(ask(run, own, server, "--json", "--kind", "nuanced", "--background"), "ask")
    assert found["answered"] and found["kind"] == "nuanced" and found["id"].startswith("ans-")
    first, second = found["statements"]
    assert (first["status"], second["status"]) == ("supported", "unsupported")
    assert second["why"] and second["evidence"] == ["e1.1"]
    (item,) = found["evidence"]
    assert item["quote"] == " … ".join(span["text"] for span in item["spans"]) and 0 <= item["score"] <= 10
    assert item["paper"]["external_id"] == "lace" and "references" not in item["paper"]
    assert [draft["name"] for draft in found["drafts"]] == ["first answer", "critique"]
    assert found["background"] == "It is generally known."
    assert found["usage"]["prompt_tokens"] == 100 * found["usage"]["calls"] and "cost" in found["usage"]
    assert {"standalone", "queries", "opinion", "trace", "made", "note"} <= set(found)


def test_options_reach_the_model(run: Run, own: Path, server: LanguageServer):
    """An option would be taken and mean nothing."""
    words = ["--level", "a first-year student", "--language", "es", "--depth", "quick", "--no-cache"]
    assert ask(run, own, server, *words).exit_code == 0
    (asked,) = [str(request["messages"]) for request in server.requests if task(request) == "write"]
    assert "a first-year student" in asked and "Write in this language: es" in asked
    assert not [request for request in server.requests if task(request) in ("rephrase", "judge")]  # quick
    count = len(server.requests)
    assert ask(run, own, server, "--depth", "quick").exit_code == 0
    assert len(server.requests) > count, "--no-cache keeps nothing, so nothing was known"
    assert run("--library", own, "ask", "x", "--kind", "clever").exit_code == 2
    assert run("--library", own, "ask", QUESTION, "--passage-kind", "abstract", "--model", "none").exit_code == 0


def test_queries_are_shown_and_not_run(run: Run, own: Path, server: LanguageServer):
    """A bibliometric question would bring nothing that can be pasted into ADS."""
    said = ask(run, own, server, "--kind", "bibliometric").stdout
    assert 'ads: abs:"dark matter" year:2010-2020\n' in said
    assert "They were not run." in said


def test_exit_codes(run: Run, own: Path, server: LanguageServer):
    """A script could not tell an outage from an honest no, or from a budget that is used up."""
    away = run("--library", own, "ask", QUESTION, "--model", "http://127.0.0.1:9/v1", "--json")
    assert (away.exit_code, error(away)["type"]) == (3, "ServiceAwayError")
    assert run("--library", own, "ask", QUESTION, "--model", "clever").exit_code == 2
    ended = ask(run, own, server, "--max-tokens", "50")
    assert ended.exit_code == 0
    said = " ".join(ended.stdout.split())
    assert re.search(
        r"A question needs at least [\d,]+ tokens; the budget is 50\. Nothing was read\. Raise budget\.tokens\.", said
    )
    declined = ask(run, own, server)
    assert declined.exit_code == 0
    counting = run("--library", own, "ask", "How many papers are about tides?", "--model", server.url)
    assert counting.exit_code == 0 and "conspectus search --count WORDS" in counting.stdout


def test_an_answer_is_exported(run: Run, own: Path, server: LanguageServer, tmp_path: Path):
    """An answer could not go into a manuscript with its sources."""
    first = body(ask(run, own, server, "--json"), "ask")
    words = ["--library", own, "export", "last", "--to"]
    bib = run(*words, "bib").stdout
    assert bib.startswith("@article{lace,") and bib.count("@") == 1
    again = json.loads(run(*words, "json").stdout)
    assert again["schema"] == "conspectus.ask/1" and again["statements"] == first["statements"]
    md = run(*words, "md").stdout
    assert f"{GATHER}[^1] {WRONG}[^1] *(not supported[^2])*" in md
    assert re.search(r"^\[\^1\]: .*“Mitochondria gather around the nucleus", md, re.MULTILINE)
    page = tmp_path / "answer.html"
    assert run(*words, "html", "--output", page).stdout == f"Wrote 1 answer to {page}.\n"
    listed = tmp_path / "cited.bib"
    assert run(*words, "bib", "--output", listed).stdout == f"Wrote 1 paper to {listed}.\n"
    html = page.read_text("utf-8")
    assert f'<span style="opacity:.6">{WRONG}</span>' in html and "(not supported<sup" in html
    assert re.search(r'<li id="n2">.*No such share is given', html) and "not read from pages" not in html
    assert run("--library", own, "export", "--to", "md").exit_code == 2
    assert run(*words, "md", "--year", "2011").exit_code == 2
    assert run(*words, "bib", "--no-pictures").exit_code == run(*words, "md", "--pictures").exit_code == 2
    assert run(*words, "md", "--no-pictures").stdout == md
    assert body(run(*words, "bib", "--json"), "export")["papers"] == 1


def test_hostile_words_of_a_model_stay_words(run: Run, own: Path):
    """A model could clear the screen, run a script in a notebook, or plant a link in a report."""

    def evil(body: Mapping[str, Any]) -> Say:
        claims = [{"text": HOSTILE, "evidence": list(evidence(body))[:1]}]
        return Say(object={"answerable": True, "statements": claims, "missing": "\x1b]0;owned\x07"})

    with serve_script(reader("mitochondria gather", write=evil, background={"text": HOSTILE})) as server:
        said = ask(run, own, server, "--background")
    words = ["--library", own, "export", "last", "--to"]
    shown = run("--library", own, "show", "last").stdout
    md, html = run(*words, "md").stdout, run(*words, "html").stdout
    for text in (said.stdout, shown, md):
        assert "\x1b" not in text and "\x07" not in text
    assert (
        "<script" not in html and "&lt;script&gt;" in html and "http://evil.example" not in re.findall("href=.*", html)
    )
    assert r"\<script\>" in md and r"\[here\](http\://evil.example)" in md


def test_prompts_are_shown_and_can_be_overridden(run: Run, own: Path, user_config: Path, server: LanguageServer):
    """What is asked of a model could not be read, or not be changed."""
    rows = body(run("--library", own, "prompts", "--json"), "models.prompts")["prompts"]
    assert {"gather", "write", "judge"} <= {row["name"] for row in rows}
    assert all(row["version"] and row["about"] and row["origin"] == "built in" for row in rows)
    built = run("--library", own, "prompts", "write").stdout
    copied = Path(run("--library", own, "prompts", "write", "--copy").stdout.strip())
    assert copied == user_config.parent / "prompts" / "write.md"
    copied.write_text(copied.read_text("utf-8").replace("# user\n", "# user\nIn rhymes, please.\n"), "utf-8")
    refused = run("--library", own, "prompts", "write", "--copy")
    assert refused.exit_code == 2 and "already" in refused.stderr and "In rhymes" in copied.read_text("utf-8")
    assert "In rhymes" in run("--library", own, "prompts", "write").stdout
    assert run("--library", own, "prompts", "write", "--built-in").stdout == built
    ask(run, own, server)
    assert any("In rhymes" in str(request["messages"]) for request in server.requests)
    assert run("--library", own, "prompts", "wirte").exit_code == 2
    assert run("--library", own, "prompts", "--copy").exit_code == 2


def test_a_broken_prompt_is_listed_with_the_reason(run: Run, own: Path, user_config: Path):
    """One slip in one file would hide all prompts, and be told first in the middle of an answer."""
    words = ["--library", own]
    assert "prompts" not in {row["check"] for row in body(run(*words, "doctor", "--json"), "doctor")["findings"]}
    copied = Path(run(*words, "prompts", "write", "--copy").stdout.strip())
    (found,) = (row for row in body(run(*words, "doctor", "--json"), "doctor")["findings"] if row["check"] == "prompts")
    assert found["ok"] and found["detail"].startswith("1 ")
    copied.write_text(copied.read_text("utf-8").replace("{question}", "\x1b[2J"), "utf-8")
    (user_config.parent / "prompts" / "wirte.md").write_text("version: 1", "utf-8")
    said = run(*words, "prompts")
    assert said.exit_code == 1
    (line,) = (row for row in said.stdout.splitlines() if row.startswith("write\t"))
    assert "broken" in line and "lacks {question}" in line and "gather\t" in said.stdout
    listed = run(*words, "prompts", "--json")
    rows = {row["name"]: row for row in json.loads(listed.stdout)["prompts"]}
    assert listed.exit_code == 1 and "lacks {question}" in rows["write"]["trouble"] and rows["gather"]["id"]
    checked = run(*words, "doctor", "--json")
    (found,) = (row for row in json.loads(checked.stdout)["findings"] if row["check"] == "prompts")
    assert checked.exit_code == 1 and not found["ok"] and found["remedy"]
    assert "lacks {question}" in found["detail"] and "wirte" in found["detail"]


def test_ids_and_numbers_are_for_who_asks_for_them(run: Run, own: Path) -> None:
    """A reader would have to look for the answer among ids, names of methods and probabilities."""
    for question in (QUESTION, "Which currencies were traded before the war?"):
        plain = run("--library", own, "ask", question).stdout
        explained = run("--library", own, "ask", question, "--explain").stdout
        answer = json.loads(run("--library", own, "answers", "show", "last", "--json").stdout)["answer"]
        ids = {
            span["id"] for statement in answer["statements"] for one in statement["citations"] for span in one["spans"]
        }
        assert answer["id"] in explained and answer["id"] not in plain
        assert answer["method"] not in plain and "(needed:" not in plain
        assert all(name in explained and name not in plain for name in ids)
