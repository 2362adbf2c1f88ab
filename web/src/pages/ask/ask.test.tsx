import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { expect, test } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { Answer, AnswerRow, Citation, CitedFigure, JobEvent, Paper, Statement } from "../../api/types";
import { fill, LanguageProvider } from "../../i18n";
import en from "../../i18n/en.json";
import { CitationChip, chipLabel, pageOf } from "../../parts/CitationChip";
import { AnswerView } from "./AnswerView";
import { findAnswerSince } from "./questions";
import { Difference } from "./Changes";
import { keyOf, labelsOf, sourcesOf } from "./citations";
import { Composer } from "./Composer";
import { refusalOf } from "./RefusalNotice";
import { examples } from "./Home";
import { questionBody, changedNames, splitYears, fromAddress, toAddress, limits, optionsOfAnswer, USUAL, removeLimit, years } from "./options";
import { collectAnswer } from "./progress";
import { history } from "./queries";
import { Question } from "./Question";
import { Stages } from "./AnswerProgress";
import { Statements } from "./Statements";

const paper = { id: "p1", title: "Grid cells", authors: [], keywords: [], files: [], has_full_text: true } as unknown as Paper;
const citation = {
  paper,
  passage_id: "p1.a",
  quote: "Grid cells fire on a lattice.",
  marker: "[Hafting et al. 2005, p. 2]",
  spans: [{ id: "p1.s1", start: 0, end: 9, text: "Grid cells fire on a lattice.", places: [{ page: 2, rect: [] }] }],
} as unknown as Citation;
const statement = (status: Statement["status"], more: Partial<Statement> = {}) =>
  ({ text: `It is ${status}.`, status, why: "", score: 0, evidence: [], citations: [citation], ...more }) as Statement;
const answer = (more: Partial<Answer> = {}) =>
  ({
    ...{ question: "Why?", answered: true, reason: "", method: "model", text: "", models: ["m"], usage: {}, note: "", id: "ans-1" },
    ...{ made: "", kind: "multi", standalone: "", background: "", queries: {}, opinion: null, trace: [], probability: null, unread: [] },
    ...{ statements: [], evidence: [], drafts: [], figures: [], ...more },
  }) as unknown as Answer;

function renderView(what: ReactNode) {
  const place = memoryLocation({ path: "/ask", record: true });
  const search = { searchPath: "" };
  render(
    <Router hook={place.hook} searchHook={place.searchHook} {...search}>
      <QueryClientProvider client={new QueryClient()}>
        <LanguageProvider>{what}</LanguageProvider>
      </QueryClientProvider>
    </Router>,
  );
  return place;
}

let seq = 0;
const jobEvent = (event: object) => ({ job: "job-1", seq: ++seq, at: "2026-01-01T00:00:00+00:00", ...event }) as JobEvent;
const READ = [
  jobEvent({ kind: "started", verb: "ask" }),
  jobEvent({ kind: "searching", question: "Why?" }),
  jobEvent({ kind: "found", passages: 20, papers: 6 }),
  jobEvent({ kind: "reading", done: 20, total: 20 }),
  jobEvent({ kind: "evidence", evidence: { id: "e1" } }),
];

test("events become stages, in their order, each once", () => {
  // Else somebody who waits sees nothing, or a list that jumps.
  expect(collectAnswer([]).stages).toEqual([]);
  expect(collectAnswer(READ.slice(0, 3)).stages.map((stage) => stage.name)).toEqual(["searching", "found"]);
  expect(collectAnswer(READ).stages.map((stage) => stage.name)).toEqual(["searching", "found", "reading", "evidence"]);
  const all = [...READ, jobEvent({ kind: "text", text: "It" }), jobEvent({ kind: "statement", statement: statement("partly") })];
  expect(collectAnswer(all).stages.map((stage) => stage.name)).toEqual([
    ...["searching", "found", "reading", "evidence", "writing", "checking"],
  ]);
});

test("a draft grows, begins anew, and goes when statements are there", () => {
  // Else an unchecked text stands beside the checked one, or two drafts run into each other.
  const text = (words: string, fresh = false) => jobEvent({ kind: "text", text: words, fresh });
  expect(collectAnswer([text("It ", true), text("is.")]).draft).toBe("It is.");
  expect(collectAnswer([text("It ", true), text("Not so.", true)]).draft).toBe("Not so.");
  const stated = jobEvent({ kind: "statement", statement: statement("supported") });
  expect(collectAnswer([text("It ", true), stated]).draft).toBe("");
  const progress = collectAnswer([stated, text("Better.", true)]);
  expect([progress.draft, progress.statements]).toEqual(["Better.", []]);
});

test("a stage is announced once, not with each passage that is read", () => {
  // Else a screen reader says twenty numbers.
  const read = (done: number) => <Stages isRunning stages={[{ name: "reading", done, total: 20 }]} />;
  const { rerender } = render(<LanguageProvider>{read(1)}</LanguageProvider>);
  rerender(<LanguageProvider>{read(7)}</LanguageProvider>);
  expect(screen.getByRole("status").textContent).toBe("Read 1 of 20 passages");
  expect(screen.getByRole("listitem").textContent).toBe("Read 7 of 20 passages");
});

test("each status has its word, and doubts say why", () => {
  // Else a statement that failed the check looks like the others to who sees no colours.
  const all = [statement("quoted"), statement("supported"), statement("unchecked"), statement("partly")];
  renderView(<Statements statements={[...all, statement("unsupported", { why: "Another planet.", citations: [] })]} />);
  for (const word of ["quoted", "supported", "not checked", "partly supported", "not supported"])
    expect(screen.getByText(word)).toBeTruthy();
  expect(screen.getByText("Another planet.")).toBeTruthy();
  expect(screen.getByText("no source")).toBeTruthy();
});

test("a chip is called as the answer calls the paper, shows its quote, and opens its page at the sentence", async () => {
  // Else a reader cannot get from a statement to its sentence.
  expect([chipLabel(citation), pageOf(citation)]).toEqual(["Hafting et al. 2005, p. 2", 2]);
  expect(pageOf({ spans: [] })).toBeUndefined();
  const place = renderView(<CitationChip citation={citation} />);
  const chip = screen.getByRole("button", { name: "Hafting et al. 2005, p. 2" });
  expect(chip.getAttribute("aria-expanded")).toBe("false");
  await userEvent.hover(chip);
  expect((await screen.findByRole("tooltip")).textContent).toContain("Grid cells fire on a lattice.");
  await userEvent.click(chip);
  expect(screen.queryByRole("tooltip")).toBeNull();
  expect(place.history.at(-1)).toBe("/ask?read=p1&span=p1.s1&page=2");
});

test("citations have numbers, and two quotes of a paper a letter each, in the text and in the list of sources", () => {
  // Else nobody could tell which of two quotes bears which statement.
  const of = (id: string, name: string) =>
    ({ ...citation, paper: { ...paper, id }, spans: [{ ...citation.spans[0]!, id: name }] }) as unknown as Citation;
  const citations = [of("p1", "s1"), of("p2", "s2"), of("p1", "s3"), of("p1", "s1")];
  const statements = citations.map((cited) => statement("supported", { citations: [cited] }));
  const labels = labelsOf(sourcesOf(statements));
  expect(citations.map((cited) => labels.get(keyOf(cited)))).toEqual(["1a", "2", "1b", "1a"]);
  renderView(<AnswerView answer={answer({ statements })} />);
  expect(screen.getAllByRole("button", { name: "1a: Hafting et al. 2005, p. 2" })).toHaveLength(3);
  const sources = within(screen.getByRole("region", { name: "Sources" }));
  expect(sources.getAllByRole("listitem").map((row) => row.textContent)).toEqual(["[1]Grid cells 1a, p. 21b, p. 2", "[2]Grid cells 2, p. 2"]);
  expect(sources.getByText("1b, p. 2").getAttribute("data-citation")).toBe("s3");
});

test("no answer says why, and what to do", async () => {
  // Else it looks as if the program had failed.
  const reason = "No passage mentions it.";
  const place = renderView(<AnswerView answer={answer({ answered: false, reason, method: "extractive", closest: citation })} />);
  expect(screen.getByText(/No passage mentions it/)).toBeTruthy();
  expect(screen.getByText("Grid cells fire on a lattice.", { exact: false, selector: "blockquote" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Hafting et al. 2005, p. 2" }));
  expect(place.history.at(-1)).toBe("/ask?read=p1&span=p1.s1&page=2");
  expect(screen.getByRole("link", { name: "Search for it instead" }).getAttribute("href")).toBe("/search?q=Why%3F");
  expect(screen.queryByText(/Not written by a language model/)).toBeNull(); // there are no sentences of papers
});

test("a question for a number of papers has the number, and a link to the papers", () => {
  // Else it reads as a failure, with names of commands in it.
  const reason = fill(en["said.counted"], { n: "1,038", query: "`count grid cells year=2015..2019`" });
  expect(refusalOf(reason)).toEqual({ count: { papers: 1038, words: ["grid", "cells"], year: "2015..2019" } });
  renderView(<AnswerView answer={answer({ answered: false, reason, method: "extractive" })} options={{ ...USUAL, author: ["Moser"], full_text: "true" }} />);
  expect(screen.getByText(/^1,038 papers contain “grid” and “cells” \(published 2015–2019\)\./)).toBeTruthy();
  const link = new URL(screen.getByRole("link", { name: "Show them" }).getAttribute("href")!, "http://x").searchParams;
  expect([...link]).toEqual([["q", '"grid" AND "cells"'], ["k", "200"], ["author", "Moser"], ["full", "1"], ["year", "2015..2019"]]);
  expect(screen.queryByText("Your papers do not answer this")).toBeNull();
  expect(refusalOf(fill(en["said.counted_one"], { n: 1, query: "`count rat`" }))).toEqual({ count: { papers: 1, words: ["rat"], year: "" } });
});

test("a question to count or calculate that names nothing to look for leads to where that is done", () => {
  // Else it looks as if the papers had no answer.
  expect(refusalOf(en["said.calculating"])).toEqual({ text: "ask.calculating" });
  expect(refusalOf(`0 papers have these words: \`count mean size\`. ${en["said.calculating"]}`)).toEqual({ text: "ask.calculating" });
  expect(refusalOf("No passage mentions it.")).toBeNull();
  renderView(<AnswerView answer={answer({ answered: false, reason: en["said.counting"], method: "extractive" })} />);
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/search", "/library", "/library/health"]);
  expect(screen.queryByRole("heading")).toBeNull();
});

test("what a model wrote is text, never markup", () => {
  // Else a paper or a model could put its own page into this one.
  const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  renderView(<AnswerView answer={answer({ statements: [statement("supported", { text: evil })], background: evil, note: evil })} />);
  expect(document.querySelector("img, script")).toBeNull();
  expect(document.body.textContent.split(evil)).toHaveLength(4);
});

test("options survive the address, and only what is chosen is asked for", () => {
  // Else a link, a reload or a follow-up asks otherwise than was chosen.
  const search = new URLSearchParams("q=x&depth=quick&venue=Nature&venue=Science&auto=1&full_text=false&kind=wrong&weight=recency&weight=beauty&read=p1");
  const options = fromAddress(search);
  expect(changedNames(options)).toEqual(["depth", "venue", "full_text", "weight", "auto"]);
  expect(fromAddress(toAddress(options))).toEqual(options);
  expect(toAddress(USUAL, search).toString()).toBe("q=x&read=p1");
  expect(questionBody(" Why? ", { ...options, fresh: true }, "con-1")).toEqual({
    ...{ question: "Why?", depth: "quick", venue: ["Nature", "Science"], auto: true, full_text: false, weight: ["recency"] },
    ...{ cache: false, conversation: "con-1" },
  });
  const saved = { options: { depth: "thorough", model: "m" }, filters: { year: [2001, null], author: ["Moser"] } };
  const followUp = optionsOfAnswer(saved as unknown as Parameters<typeof optionsOfAnswer>[0]);
  expect([followUp.depth, followUp.model, followUp.year, followUp.author]).toEqual(["thorough", "m", "2001..", ["Moser"]]);
});

test("what limits a question is seen, and taken away one by one", () => {
  // Else somebody asks a tenth of the library without knowing it.
  const options = fromAddress(new URLSearchParams("venue=Nature&venue=Science&year=2005..&collection=Grid&model=m"));
  expect(limits(options).map((limit) => limit.join())).toEqual(["venue,Nature", "venue,Science", "collection,Grid", "year,2005.."]);
  expect(removeLimit(options, "venue", "Nature").venue).toEqual(["Science"]);
  expect(limits(removeLimit(removeLimit(options, "year", "2005.."), "collection", "Grid")).length).toBe(2);
});

test("years are a range with open ends", () => {
  // Else "from 2005" would be asked as the year 2005.
  expect([years("2005", ""), years("", "2015"), years("2010", "2010"), years("", "")]).toEqual(["2005..", "..2015", "2010", ""]);
  expect([splitYears("2005.."), splitYears("..2015"), splitYears("2010"), splitYears("")]).toEqual([["2005", ""], ["", "2015"], ["2010", "2010"], ["", ""]]);
});

test("Enter asks, Shift+Enter begins a line, nothing is not asked", async () => {
  // Else half a question is sent.
  let count = 0;
  const box = (question: string) => (
    <Composer question={question} onQuestion={() => {}} options={USUAL} onOptions={() => {}} onAsk={() => count++} />
  );
  renderView(box("Why?"));
  await userEvent.type(screen.getByRole("textbox"), "{Shift>}{Enter}{/Shift}");
  expect(count).toBe(0);
  await userEvent.type(screen.getByRole("textbox"), "{Enter}");
  expect(count).toBe(1);
});

test("a question that is too long says that its rest was left out", async () => {
  // Else the half of what was pasted is asked, and nobody sees it.
  function Typed() {
    const [question, type] = useState("");
    return <Composer question={question} onQuestion={type} options={USUAL} onOptions={() => {}} onAsk={() => {}} />;
  }
  renderView(<Typed />);
  const box = screen.getByRole<HTMLTextAreaElement>("textbox");
  box.focus();
  await userEvent.paste("Why do cells fire? ".repeat(500));
  expect(box.value).toHaveLength(4000);
  expect(screen.getByText("A question has at most 4,000 characters; the rest was left out.")).toBeTruthy();
  await userEvent.clear(box);
  await userEvent.paste("Why?");
  expect(screen.queryByText(/was left out/)).toBeNull();
});

test("a long question is folded above its answer, and shown whole on demand", async () => {
  // Else the answer begins below the first screen.
  renderView(<Question text={"Why do grid cells fire? ".repeat(40)} />);
  const heading = screen.getByRole("heading");
  expect(heading.className).toContain("folded");
  await userEvent.click(screen.getByRole("button", { name: "Show all" }));
  expect(heading.className).not.toContain("folded");
});

test("an answer says on top that its model's replies could not be used, and why on demand", () => {
  // Else somebody who has a model reads that none has written the answer, and the reason in jargon far below.
  const note = "The model 'ollama:toy' gave an unusable reply twice (prompt 'read'): no JSON. The answer below quotes the papers directly. It said 'Hm'.";
  renderView(<AnswerView answer={answer({ method: "extractive", note, models: ["ollama:toy", "minilm"] })} />);
  expect(screen.getByText(/^toy was asked, but its replies could not be used, so these are quotes/)).toBeTruthy();
  expect(screen.queryByText(/^Not written by a language model/)).toBeNull();
  expect(screen.getByText(/unusable reply twice/).closest("details")!.open).toBe(false);
});

test("the foot of an answer is in words, and internal names are shown on demand", () => {
  // Else each answer ends in "all-MiniLM-L6-v2/int8/1/256", which tells a scientist nothing.
  const usage = { calls: 16, from_cache: 14, seconds: 1 } as Answer["usage"];
  renderView(<AnswerView answer={answer({ models: ["ollama:qwen3", "all-MiniLM-L6-v2/int8/1/256"], usage })} />);
  const foot = screen.getByText(/14 of 16 calls from the cache/);
  expect(foot.textContent).toContain("qwen3");
  expect(foot.textContent).not.toContain("MiniLM");
  expect(screen.getByText(/MiniLM/).closest("details")!.open).toBe(false);
});

test("why there is no answer is a whole sentence, and its numbers come on demand", () => {
  // Else the page says "No" alone, and the sentence that follows is folded with the numbers.
  const reason = "No passage answers this question. The best of 12 does with a probability of 0.06 (needed: 0.25, answer.probability).";
  renderView(<AnswerView answer={answer({ answered: false, reason })} />);
  expect(screen.getByText("No passage answers this question.")).toBeTruthy();
  expect(screen.getByText(/^The best of 12 does with a probability of 0.06/).closest("details")!.open).toBe(false);
});

test("an answer that was kept before the server ended is found again", () => {
  // Else a question is paid for twice; or an old answer is taken for the new one.
  const row = (id: string, made: string, question = "Why?") => ({ id, made, question }) as AnswerRow;
  const rows = [row("ans-3", "2026-01-03T00:00:05+00:00", "What?"), row("ans-2", "2026-01-02T00:00:05+00:00")];
  expect(findAnswerSince(rows, "Why?", "2026-01-02T00:00:05.900+00:00")?.id).toBe("ans-2");
  expect(findAnswerSince(rows, "Why?", "2026-01-02T00:00:06.000+00:00")).toBeUndefined();
  expect(findAnswerSince(rows, "Why?")?.id).toBe("ans-2");
});

test("history: conversations once, lone answers beside them, the newest first", () => {
  // Else each follow-up is an entry, or empty conversations are.
  const row = (id: string, made: string, conversation = "", turn = 0) =>
    ({ id, made, conversation, turn, question: id, answered: true }) as AnswerRow;
  const talk = (id: string, updated: string, turns: number) => ({ id, updated, turns, title: id, made: "" });
  const rows = [row("ans-3", "3", "con-1", 2), row("ans-2", "2"), row("ans-1", "1", "con-1", 1)];
  const entries = history(rows, [talk("con-1", "3", 2), talk("con-0", "9", 0)]);
  expect(entries.map((entry) => [entry.id, entry.answer, entry.turns])).toEqual([["con-1", "ans-3", 2], ["ans-2", "ans-2", 1]]);
});

test("examples are of subjects that papers share, and of titles", () => {
  // Else somebody's first question has no answer, or is "What is known about strongly correlated?".
  const other = (id: string, title: string, keywords: string[] = []) => ({ ...paper, id, title, keywords });
  const papers = [other("a", "Strongly correlated matter"), other("b", "Ice on moons", ["Planetary rings"]), other("c", "Do cells age in the dark?")];
  const picked = examples(papers, ["planetary rings", "ice", "neutron stars"]);
  expect(picked.map(({ key, values }) => [key, ...Object.values(values)])).toEqual([
    ["ask.example.two", "planetary rings", "ice"],
    ["ask.example.one", "neutron stars"],
    ["ask.example.own", "Do cells age in the dark?"],
  ]);
  expect(examples(papers, []).map(({ key }) => key)).toEqual(["ask.example.own", "ask.example.title", "ask.example.title"]);
  expect(examples([], [])).toEqual([]);
});

test("a rerun shows what came and went", () => {
  // Else somebody has to compare two answers by eye.
  const rerun = {
    ...{ before: "ans-1", changed: true, answer: answer(), new_sources: [paper], gone_sources: [] },
    ...{ new: [statement("supported", { text: "This is new." })], gone: [statement("partly", { text: "This is gone." })] },
  };
  renderView(<Difference rerun={rerun} />);
  for (const text of ["New: one statement", "This is new.", "Removed: one statement", "This is gone.", "Newly cited: one paper"])
    expect(document.body.textContent).toContain(text);
});

test("figures that citations rest on are told with what leads to them, and open their page", async () => {
  const figure = { id: "p1.f1", name: "f1", label: "Figure 3", caption: "Figure 3. A lattice.", kind: "figure", page: 4, paper };
  const reading = { model: "eye", tells: false, text: "The axis is cut off.", values: ["y axis: flux"] };
  const cited = { figure, by: "caption", spans: ["p1.s1"], reading } as unknown as CitedFigure;
  const place = renderView(<AnswerView answer={answer({ figures: [cited] })} />);
  expect(screen.getByAltText("A lattice.").getAttribute("src")).toContain("/papers/p1/figures/f1.png");
  expect(screen.getByText("Its caption or one of its rows is cited")).toBeTruthy();
  expect(screen.getByText("Read from the picture by eye; not the paper's words:").parentElement?.textContent).toContain(
    "The picture does not show this. The axis is cut off.",
  );
  expect(screen.getByText("y axis: flux")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Open Figure 3 in the paper" }));
  expect(JSON.stringify([location.search, place.history])).toContain("page=4");
});
