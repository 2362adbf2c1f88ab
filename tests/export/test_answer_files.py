"""Answers as files: Markdown that shows just what was said."""

import io
import os
import re
import threading
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from conspectus.core.errors import UsageError
from conspectus.export.answer import escaped, markdown, write, write_conversation
from conspectus.records import Answer, Author, Citation, Evidence, Paper, Place, Span, Statement
from conspectus.records.answer import Conversation, SavedConversation
from helpers import HANG

TEXTS = (
    "plain words",
    "1. not a list, 2) nor this",
    "- no dash * no star + no plus",
    "# no heading",
    "> no quote",
    "a_b_c *d* **e** `f` ~~g~~ ~h~ x^2^ $y$",
    "[link](http://evil.example) ![i](x.png) <b>bold</b> &amp; <http://auto.example> www.auto.example https://a.b",
    "[^1] and [^1]: a footnote",
    "| a | b |",
    "back \\ slash \\* star",
    "two\nlines\n\nand a paragraph\n===",
    "=== --- ***",
    "<script>alert(1)</script>",
    "bell \x07 escape \x1b[2J turned \u202e round",
)


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_shown_as_they_are(text: str):
    """A paper could put a link, an image, a heading or a footnote of its own into a report."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(escaped(text))
    inside = html.removeprefix("<p>").removesuffix("</p>\n")
    assert "<" not in inside, html
    shown = inside.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    kept = "".join(sign if sign.isprintable() else " " for sign in text.replace("\x1b[2J", "").replace("\u202e", ""))
    assert shown.split() == kept.split()


def answer(status: str = "supported") -> Answer:
    paper = Paper(id="p", title="On cats", authors=(Author("Ada Katz", "Katz", "Ada"),), year=2001, doi="10.1/c")
    span = Span("p.s1", 0, 10, "Cats purr.", (Place(3, (0, 0, 1, 1)),))
    cited = Citation(paper, "p.p1", (span,), span.text, "Katz 2001")
    first = Statement("Cats are content.", status, (cited,), why="not shown" if status != "supported" else "")  # type: ignore[arg-type]
    return Answer("Are cats content?", True, "", "model", "", (first, Statement("They are.", "supported", (cited,))))


def test_each_statement_leads_to_its_quote():
    """A reader of the file could not see what a statement rests on."""
    text = markdown("Are cats content?", [answer()])
    assert text.startswith("# Are cats content?\n\nCats are content.[^1] They are.[^1]\n")
    source = (
        "- \\[Katz 2001\\] Ada Katz (2001). On cats. doi:10.1/c [https\\://doi.org/10.1/c](<https://doi.org/10.1/c>)\n"
    )
    assert source in text
    assert text.endswith("[^1]: Katz 2001, p. 3 “Cats purr.” p.s1\n")


def test_doubts_are_told():
    """A statement without support would look as good as the others."""
    for status, said in (("unsupported", "not supported"), ("partly", "partly supported")):
        text = markdown("Are cats content?", [answer(status)])
        assert f"Cats are content.[^1] *({said}[^2])* They are.[^1]\n" in text and "\n[^2]: not shown\n" in text


def test_a_refusal_says_why():
    """An exported no would be an empty page."""
    no = Answer("Why?", False, "I cannot answer this from the library.", "model", "", ())
    assert "I cannot answer this from the library." in markdown("Why?", [no])
    held = io.StringIO()
    write(no, "bib", held)
    assert held.getvalue() == ""


def test_other_formats_are_refused():
    """A misspelt format would write nothing, and seem to have worked."""
    with pytest.raises(UsageError, match="not written as docx"):
        write(answer(), "docx", io.StringIO())


def two_turns() -> SavedConversation:
    """The first answer cites one paper of 2026, the second another and then the first: letters differ."""
    papers = [
        Paper(id=one, title=f"On {one}", authors=(Author("Ada Katz", "Katz", "Ada"),), year=2026) for one in "pqr"
    ]

    def cited(at: int, label: str) -> Citation:
        one = papers[at]
        return Citation(one, f"{one.id}.p1", (Span(f"{one.id}.s1", 0, 1, f"Of {one.id}."),), f"Of {one.id}.", label)

    def turn(*citations: Citation) -> Answer:
        said = tuple(Statement(f"Said of {one.paper.id}.", "supported", (one,)) for one in citations)
        seen = Evidence("e1", papers[2], "r.p1", (), "Seen.", 5, 0.5, citations[0].label)
        return Answer("Why?", True, "", "model", "", said, evidence=(seen,))

    answers = (
        turn(cited(0, "Katz 2026")),
        turn(cited(1, "Katz 2026a"), cited(0, "Katz 2026b")),
        turn(cited(1, "Katz 2026")),
    )
    return SavedConversation(Conversation("con-1", "Why?\x1b[2J", "", "", 3), answers)


def test_a_label_means_one_paper_in_the_whole_conversation():
    """A statement would be taken to rest on another paper than it does."""
    held = {to: io.StringIO() for to in ("md", "html")}
    for to, stream in held.items():
        write_conversation(two_turns(), to, stream)
    text = held["md"].getvalue()
    assert "- \\[Katz 2026a\\] Ada Katz (2026). On p\n- \\[Katz 2026b\\] Ada Katz (2026). On q\n" in text
    assert "[^1]: Katz 2026a “Of p.” p.s1\n[^2]: Katz 2026b “Of q.” q.s1\n" in text
    assert "\x1b" not in text
    page = held["html"].getvalue()
    assert page.count('Said of p.<sup title="Katz 2026a: Of p.">[<a id="m1" href="#n1">') == 1
    assert page.count('Said of p.<sup title="Katz 2026a: Of p.">[<a href="#n1">') == 1
    assert page.count('<li id="n1">Katz 2026a “Of p.”') == page.count('<li id="n2">Katz 2026b “Of q.”') == 1
    assert page.count("[Katz 2026c] Seen.") == 3 and "[Katz 2026]" not in page and "\x1b" not in page


def test_each_note_of_a_page_leads_back_to_its_first_mark():
    """Whoever followed a note of a long answer had to look for the sentence again."""
    held = io.StringIO()
    write_conversation(two_turns(), "html", held)
    page = held.getvalue()
    notes, names = re.findall(r'<li id="n(\d+)">', page), re.findall(r' id="([^"]*)"', page)
    assert notes == ["1", "2"] and len(set(names)) == len(names)
    assert re.findall(r'<a href="#m(\d+)" title="Back to the text">', page) == notes
    assert re.findall(r'<a id="m(\d+)" href="#n(\d+)">', page) == [(number, number) for number in notes]


def test_a_link_stays_and_leads_to_what_was_written(tmp_path: Path):
    (tmp_path / "real.md").write_text("old")
    (tmp_path / "link.md").symlink_to("real.md")
    write(answer(), "md", tmp_path / "link.md")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text("utf-8").startswith("# Are cats content?")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.md", "real.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX")
def test_into_a_pipe_it_goes_as_it_comes(tmp_path: Path):
    """A pipe or a device, /dev/null above all, must not become a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")))
    reader.start()
    write(answer(), "md", pipe)
    reader.join(HANG)
    assert read[0].startswith("# Are cats content?") and pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_what_cannot_be_a_file_is_told(tmp_path: Path):
    for name in ("", ".", "/", tmp_path, tmp_path / "no" / "folder.md"):
        with pytest.raises(UsageError, match=r"not a file name|cannot be written"):
            write(answer(), "md", name)
    assert not list(tmp_path.iterdir())
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match=r"cannot be written"):
        write(answer(), "md", tmp_path / "loop")
    assert (tmp_path / "loop").is_symlink()


def test_a_file_that_cannot_be_written_is_told_as_it_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Else the user has to guess which of the names is meant."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=re.escape("'none/answer.md' cannot be written")):
        write(answer(), "md", "none/answer.md")
