"""The graph on the page: from a vocabulary to a sentence in the reader."""

import re
import time
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from browsing import ServedLibrary, grave, too_wide
from conspectus import Library
from conspectus.graph.linking.words import new_id
from graph.vocabularies import put_mention

pytestmark = [pytest.mark.browser, pytest.mark.model]
TABLE = "id,label,synonyms\nX:1,graphene,\nX:2,electron,electrons\nX:3,graphite,\nX:4,planet,\n"


def _upload(served: ServedLibrary) -> None:
    head = 'Content-Disposition: form-data; name="file"; filename="matter.csv"\r\nContent-Type: text/csv'
    sent = f"--x\r\n{head}\r\n\r\n{TABLE}\r\n--x--\r\n".encode()
    headers = {"content-type": "multipart/form-data; boundary=x"}
    urllib.request.urlopen(urllib.request.Request(f"{served.url}/api/v1/vocabularies", sent, headers)).close()


def _link(served: ServedLibrary) -> None:
    """Have the papers linked, where they are not."""
    if not served.get("/vocabularies")["vocabularies"]:
        _upload(served)
        _wait(served)
    served.post("/link")
    _wait(served)


def _wait(served: ServedLibrary) -> None:
    while any(one["state"] == "running" for one in served.get("/jobs")["jobs"]):
        time.sleep(0.05)


def test_from_a_vocabulary_to_a_sentence(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A graph whose edges lead to no sentence is a picture."""
    page = visit("/graph")
    expect(page.get_by_role("button", name="Upload files")).to_be_visible()
    expect(page.get_by_role("button", name="Add Unified Astronomy Thesaurus")).to_be_visible()
    assert not grave(page)
    _upload(served)
    while not served.get("/vocabularies")["vocabularies"]:
        page.wait_for_timeout(50)
    page.reload()
    page.get_by_role("button", name="Find entities").click()
    expect(page.get_by_role("heading", name="Most explored")).to_be_visible()
    field = page.get_by_role("combobox", name="entity")
    field.fill("graphe")
    expect(page.get_by_role("option", name=re.compile("graphene .* sentence"))).to_be_visible()
    assert not grave(page)
    field.press("Enter")
    expect(page).to_have_url(re.compile("entity=X%3A1"))
    around = page.get_by_role("region", name="Mentioned together")
    around.get_by_role("button", name="on graphene and electron").press("Enter")
    told = page.get_by_role("region", name="Sentences on graphene and electron")
    expect(told.get_by_role("heading", name="graphene — electron")).to_be_focused()
    expect(told.locator("blockquote").first).to_contain_text(re.compile("electron", re.IGNORECASE))
    assert not grave(page) and not too_wide(page)
    told.locator(".citation").first.click()
    expect(page.locator("#reader")).to_be_visible()
    page.goto(f"{served.url}/graph?entity=X:1&entity=X:2")
    expect(page.get_by_role("button", name="on graphene and electron").first).to_be_visible()
    page.set_viewport_size({"width": 380, "height": 700})
    assert not grave(page) and not too_wide(page)
    page.get_by_role("button", name="Remove electron").click()
    expect(page).to_have_url(re.compile(r"entity=X%3A1$"))


def test_what_papers_and_answers_speak_of_leads_to_the_graph(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """Who reads could not see which words are known, nor go on from these."""
    _link(served)
    text = served.paper("Graphene")
    page = visit(f"/search?read={text}")
    reader = page.get_by_role("complementary", name="Reader")
    words = reader.locator(".entity-words")
    expect(words.first).to_have_text(re.compile("graphene", re.IGNORECASE))
    found = served.get(f"/papers/{text}/mentions")["mentions"]
    assert (
        words.count() == len(found)
        and len({one["entity"] for one in found}) == reader.locator("a.entity-words").count()
    )
    words.first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("tooltip")).to_contain_text("· matter")
    assert not grave(page)
    page.keyboard.press("Escape")
    reader.get_by_role("button", name="Entities").click()
    panel = reader.get_by_role("region", name="Entities")
    panel.get_by_role("button", name="graphene: go to").click()
    expect(words.first).to_be_in_viewport()
    if not panel.is_visible():
        reader.get_by_role("button", name="Entities").click()
    assert not grave(page)
    panel.get_by_role("checkbox").uncheck()
    expect(words).to_have_count(0)
    panel.get_by_role("checkbox").check()
    words.first.press("Enter")
    expect(page).to_have_url(re.compile(r"/graph\?entity=X%3A1&read="))
    expect(page.get_by_role("button", name="Remove graphene")).to_be_visible()

    served.post("/ask", question="What is graphene?")
    _wait(served)
    page.goto(f"{served.url}/ask/{served.get('/answers')['answers'][0]['id']}")
    row = page.get_by_role("list", name="Entities mentioned").first
    assert not grave(page) and not too_wide(page)
    row.get_by_role("link", name="graphene").press("Enter")
    expect(page).to_have_url(re.compile(r"/graph\?entity=X%3A1$"))


def test_entities_stand_on_pages_and_their_words_are_selected_there(
    visit: Callable[..., Any], served: ServedLibrary
) -> None:
    """A page of a PDF would show none; or a link would keep its own words from being selected."""
    _link(served)
    page = visit(f"/search?read={served.paper('Exoplanet')}")
    word = page.locator(".sheet span.entity-words").first
    box = word.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 1, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 30, middle, steps=4)
    page.mouse.up()
    assert page.evaluate("document.getSelection().toString()").startswith(word.inner_text())
    page.locator(".sheet a.entity-words").press("Enter")
    expect(page).to_have_url(re.compile(r"/graph\?entity=X%3A4&read="))


def test_what_may_be_worth_looking_into_is_no_finding(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A suggestion would be taken for what papers say, or could not be followed to its sentences."""
    _link(served)
    page = visit("/graph?entity=X:3")
    page.get_by_role("button", name="Where to look").press("Enter")
    told = page.get_by_role("region", name="Where it may be worth looking")
    expect(told.get_by_role("heading", name="graphite and electron?")).to_be_visible()
    expect(told.get_by_text("Suggestions, not findings")).to_be_visible()
    expect(told.locator("blockquote")).to_have_count(2)
    assert not grave(page) and not too_wide(page)
    page.emulate_media(color_scheme="dark")
    assert not grave(page)
    told.get_by_label("Papers up to").fill("1900")
    expect(page).to_have_url(re.compile("until=1900"))
    expect(told.get_by_role("heading", name="No paper that counts here")).to_be_visible()
    page.go_back()
    told.get_by_role("button", name="All paths from graphite").click()
    expect(page).to_have_url(re.compile(r"entity=X%3A3&entity=X%3A2$"))


def test_what_models_found_is_reviewed_and_taken_back(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """What a model brings could only be judged at a terminal, and a slip there would be final."""
    _link(served)
    with Library(served.folder) as library:
        title = library.paper(served.paper("Graphene")).title
        put_mention(library, title, "honeycomb", new_id("honeycomb"))
    page = visit("/graph")
    page.get_by_role("button", name="To review").press("Enter")
    told = page.get_by_role("region", name="Entities that a model found")
    expect(told.get_by_role("heading", name="honeycomb")).to_be_visible()
    expect(told.locator("blockquote")).to_contain_text("honeycomb")
    assert not grave(page) and not too_wide(page)
    told.get_by_role("button", name="Reject honeycomb").press("Enter")
    expect(told.get_by_text("Nothing to review")).to_be_visible()
    page.locator(".toast").get_by_role("button", name="Undo").press("Enter")
    expect(told.get_by_role("heading", name="honeycomb")).to_be_visible()
    told.get_by_role("button", name="honeycomb is the same as").press("Enter")
    field = told.get_by_role("combobox", name="Merge honeycomb into")
    field.fill("graphi")
    expect(told.get_by_role("option", name=re.compile("graphite"))).to_be_visible()
    field.press("Enter")
    expect(told.get_by_text("Nothing to review")).to_be_visible()
    page.get_by_role("button", name="Merged").press("Enter")
    merged = page.get_by_role("list", name="Merged")
    expect(merged).to_contain_text("honeycomb")
    assert not grave(page, ".graph") and not too_wide(page)
    merged.get_by_role("button", name="Undo the merge of honeycomb into graphite").press("Enter")
    expect(page.get_by_text("Nothing is merged")).to_be_visible()
    page.get_by_role("button", name="To review").press("Enter")
    told.get_by_role("button", name="Accept honeycomb").press("Enter")
    told.get_by_role("button", name="Accepted").press("Enter")
    expect(told.get_by_role("button", name="Undo the decision on honeycomb")).to_be_visible()


def test_a_paper_leads_to_the_works_around_it(visit: Callable[..., Any], served: ServedLibrary) -> None:
    """A reader could not tell what a paper stands on, nor go there."""
    paper = served.paper("Graphene")
    works = [one for one in served.get(f"/sources/graph?paper={paper}")["nodes"] if one["id"] != paper]
    page = visit(f"/search?read={paper}")
    reader = page.get_by_role("complementary", name="Reader")
    reader.get_by_role("button", name="About this paper").click()
    reader.get_by_role("button", name="Show connections").click()
    expect(page).to_have_url(re.compile(f"/graph.*paper={paper}"))
    expect(page.get_by_role("status").filter(has_text="in your library")).to_be_visible()
    if works:
        picture = page.get_by_role("group", name="Citation graph")
        assert picture.get_by_role("button").count() == len(works) + 1
    assert not grave(page) and not too_wide(page)
