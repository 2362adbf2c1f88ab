import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { StoredReview } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { Toasts } from "../../parts/toast";
import ReviewPage from ".";
import { ClassifyView } from "./classify/ClassifyView";
import { RankView } from "./rank/RankView";
import { Contradictions } from "./report/Contradictions";
import { ReportView } from "./report/ReportView";
import { ScreenView } from "./screen/ScreenView";
import { TableView } from "./table/TableView";

const paper = (id: string) => ({ id, title: `Paper ${id}`, authors: [], abstract: `About ${id}.` });
const citation = (id: string, quote: string) => ({ quote, marker: `[${id} 2001]`, passage_id: `${id}.p`, paper: paper(id), spans: [{ id: `${id}.s1`, places: [] }] });
const review = (kind: string, spec = {}) => ({ id: "rev-1", kind, name: "Mine", spec, papers: 2, made: "2026-01-01T00:00:00Z", updated: "2026-01-01T00:00:00Z" }) as unknown as StoredReview;

/** A server that answers by method and path, and what it was asked. */
function serve(answers: Record<string, unknown>) {
  const requests: string[] = [];
  vi.stubGlobal("fetch", (request: Request | string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(request instanceof Request ? request.url : request, "http://here");
    const path = pathname.replace("/api/v1", "");
    const method = init?.method ?? "GET";
    requests.push(`${method} ${path}${search} ${(init?.body as string | undefined) ?? ""}`.trim());
    const answer = answers[`${method} ${path}`] ?? answers[path] ?? { read_only: false, collections: [] };
    return Promise.resolve(new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } }));
  });
  return requests;
}
afterEach(() => vi.unstubAllGlobals());

function show(what: React.ReactNode, path = "/review/table", searchPath = "") {
  const place = memoryLocation({ path, searchPath, record: true });
  render(
    <Router hook={place.hook} searchHook={place.searchHook}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <LanguageProvider>{what}</LanguageProvider>
      </QueryClientProvider>
    </Router>,
  );
  return place;
}

test("where there is no review the page says what to do, and begins one", async () => {
  // An empty page tells a new user nothing.
  const requests = serve({ "/reviews": { reviews: [] }, "POST /reviews/tables": { job: "job-1" } });
  vi.stubGlobal("EventSource", class extends EventTarget {
    close = () => undefined;
  });
  const place = show(<ReviewPage />);
  expect(await screen.findByRole("heading", { name: "No table yet" })).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Columns"), { target: { value: "dose (number, mg)" } });
  fireEvent.click(screen.getByRole("button", { name: "Make the table" }));
  await waitFor(() => expect(requests).toContain('POST /reviews/tables {"columns":"dose (number, mg)","name":"","limit":0}'));
  await waitFor(() => expect(place.history.at(-1)).toContain("job=job-1"));
});

const table = {
  id: "rev-1",
  name: "Mine",
  columns: [{ name: "dose", kind: "number", unit: "mg", choices: [] }],
  rows: [
    { paper: paper("a"), cells: [{ column: "dose", value: "5", unit: "mg", status: "unconfirmed", why: "The sentence has 50.", number: 5, by: "model:m", citations: [citation("a", "We gave 50 mg.")] }] },
    { paper: paper("b"), cells: [{ column: "dose", value: "", unit: "", status: "not stated", why: "", number: null, by: "model:m", citations: [] }] },
  ],
  papers: 2,
  total: 2,
  offset: 0,
};

test("a cell opens its sentence, says how far it can be relied on, and is edited", async () => {
  // A wrong number would be taken for a confirmed one.
  const requests = serve({ "/reviews/tables/rev-1": table, "PATCH /reviews/tables/rev-1/cells": {} });
  const place = show(<TableView review={review("table")} />);
  fireEvent.click(await screen.findByRole("button", { name: "5 mg" }));
  expect(place.history.at(-1)).toMatch(/read=a&span=a\.s1/);
  expect(screen.getByText("unconfirmed")).toBeTruthy();
  expect(screen.getByText("not stated")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "dose of “Paper a”: quote, edit, read again" }));
  expect(screen.getByText("The sentence has 50.")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Value"), { target: { value: "50 mg" } });
  fireEvent.click(screen.getByRole("button", { name: "Save", hidden: true }));
  await waitFor(() => expect(requests).toContain('PATCH /reviews/tables/rev-1/cells {"paper":"a","column":"dose","value":"50 mg"}'));
});

test("a header sorts, and a condition filters, in the address", async () => {
  // The view could not be shared, nor left and found again.
  serve({ "/reviews/tables/rev-1": table });
  const place = show(<TableView review={review("table")} />);
  fireEvent.click(await screen.findByRole("button", { name: "dose" }));
  expect(place.history.at(-1)).toContain("sort=dose");
  fireEvent.change(screen.getByLabelText("Only rows whose cells meet a condition"), { target: { value: "dose > 5 mg" } });
  fireEvent.click(screen.getByRole("button", { name: "Filter" }));
  await waitFor(() => expect(place.history.at(-1)).toContain("where=dose+%3E+5+mg"));
});

const screening = (id: string | null) => ({
  ...{ id: "rev-1", name: "Mine", papers: 9, paper: id && paper(id), reason: "by the criteria", same: [], remaining: 9, included: 0, excluded: 0 },
  ...{ waiting: 0, conflicts: [], estimate: { relevant: 3, low: 0, high: 9, missing: 0 }, stop: false, rule: "The rule.", ended: "", agreement: null, disputed: [], labels: [], notes: [] },
  criteria: { question: "Why?", include: ["Adults"], exclude: { "no trial": "letters", mice: "" }, reviewers: 1, decides: "" },
});

test("a conflict shows its paper and who said what, and one button settles it", async () => {
  // A person would have to look papers and labels up by their ids.
  const entry = (key: number, reviewer: string, label: string, reason: string) => ({ key, paper: "a", label, reason, reviewer, stage: "full-text", resolves: false, made: "2026-01-02T03:04:05+00:00" });
  const labels = [entry(1, "ann", "include", ""), entry(2, "bob", "exclude", "mice")];
  const requests = serve({ "/reviews/screenings/rev-1": { ...screening(null), disputed: [{ paper: paper("a"), stage: "full-text", labels }] }, "POST /reviews/screenings/rev-1/labels": screening(null) });
  show(<ScreenView review={review("screen")} />, "/review/screen?view=labels");
  expect(await screen.findByText(/^mice · /)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /^Exclude/ }));
  await waitFor(() => expect(requests).toContain('POST /reviews/screenings/rev-1/labels {"paper":"a","label":"exclude","resolve":true,"reviewer":"user","stage":"full-text"}'));
});

test("what of a file of labels could not be used is told, with the reason, and so is a file in no known encoding", async () => {
  serve({
    "/reviews/screenings/rev-1": { ...screening(null), disputed: [] },
    "POST /reviews/screenings/rev-1/labels/file": { labels: 2, known: 0, failed: { "line 3": "'maybe' is no label." }, new_reasons: { mise: 1 } },
  });
  show(
    <>
      <ScreenView review={review("screen")} />
      <Toasts />
    </>,
    "/review/screen?view=labels",
  );
  const box = await screen.findByLabelText(/Read labels from a file/);
  const read = (bytes: BlobPart) => fireEvent.change(box, { target: { files: [new File([bytes], "labels.csv")] } });
  read(new Uint8Array([0xe9, 0xff]));
  expect(await screen.findByText(/“labels.csv” is a text neither in UTF-8/)).toBeTruthy();
  read("doi,label");
  expect(await screen.findByText("line 3: 'maybe' is no label.")).toBeTruthy();
  expect(screen.getByText("The criteria have no reason “mise”; one label kept with it.")).toBeTruthy();
});

test("papers are screened by keys, and the last one is labelled again with a new label", async () => {
  // A slip of the finger would exclude a paper for good.
  const answers: Record<string, unknown> = { "/reviews/screenings/rev-1/next": screening("a"), "POST /reviews/screenings/rev-1/labels": screening("b") };
  const requests = serve(answers);
  show(<ScreenView review={review("screen")} />, "/review/screen");
  expect(await screen.findByText("About a.")).toBeTruthy();
  expect(screen.getByText("Adults")).toBeTruthy();
  fireEvent.keyDown(window, { key: "e" });
  fireEvent.keyDown(await screen.findByRole("button", { name: /mice/ }), { key: "2" });
  const label = (fields: object) => `POST /reviews/screenings/rev-1/labels ${JSON.stringify({ ...fields, reviewer: "user", stage: "abstract" })}`;
  await waitFor(() => expect(requests).toContain(label({ paper: "a", label: "exclude", reason: "mice" })));
  expect(await screen.findByText("About b.")).toBeTruthy();
  fireEvent.keyDown(window, { key: "u" });
  expect(await screen.findByText("Label again; last label: excluded")).toBeTruthy();
  expect(screen.getByText("About a.")).toBeTruthy();
  fireEvent.keyDown(window, { key: "i" });
  await waitFor(() => expect(requests).toContain(label({ paper: "a", label: "include", reason: "" })));
  expect(await screen.findByText("About b.")).toBeTruthy();
});

test("which of two papers is better is said by a key, and the next pair follows", async () => {
  // Somebody who ranks a hundred papers has four hundred pairs to judge.
  const pair = (first: string, second: string) => ({ id: "rev-1", name: "Mine", criterion: "impact", comparisons: 1, budget: 9, first: { paper: first, title: `Paper ${first}`, text: "" }, second: { paper: second, title: `Paper ${second}`, text: "" } });
  const ranking = { id: "rev-1", name: "Mine", criterion: "impact", method: "active", ranking: [], comparisons: 0, budget: 9, cycles: [], position_bias: null, agreement: [], bias: [], judges: {}, total: 0, offset: 0, titles: {}, note: "" };
  const requests = serve({ "/reviews/rankings/rev-1": ranking, "/reviews/rankings/rev-1/next": pair("a", "b"), "POST /reviews/rankings/rev-1/verdicts": pair("c", "d") });
  show(<RankView review={review("rank")} />, "/review/rank", "view=judge");
  expect(await screen.findByRole("heading", { name: "Paper b" })).toBeTruthy();
  fireEvent.keyDown(window, { key: "2" });
  await waitFor(() => expect(requests).toContain('POST /reviews/rankings/rev-1/verdicts {"first":"a","second":"b","preferred":"second","reason":""}'));
  expect(await screen.findByRole("heading", { name: "Paper d" })).toBeTruthy();
});

test("a paper is given another category, or none", async () => {
  // What is wrong would stay wrong, and nothing would be learnt from it.
  const classification = {
    ...{ id: "rev-1", name: "Mine", several: false, by: "vectors", least: 0.5, total: 1, counts: { Stars: 1, Planets: 0, none: 0 }, next: "", failed: {}, left: 0, stopped: "", notes: [] },
    categories: [{ name: "Stars", description: "" }, { name: "Planets", description: "" }],
    papers: [{ paper: paper("a"), by: "vectors", closest: null, categories: [{ name: "Stars", probability: 0.9, citations: [citation("a", "A star.")] }] }],
  };
  const requests = serve({ "/reviews/classifications/rev-1": classification });
  show(<ClassifyView review={review("classify")} />, "/review/classify");
  expect(await screen.findByText("A star.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Correct" }));
  fireEvent.click(screen.getByRole("checkbox", { name: "Planets" }));
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(requests).toContain('POST /reviews/classifications/rev-1/papers {"paper":"a","categories":["Planets"]}'));
});

const pairOf = (verdict: string) => ({ first: citation("a", "It rises."), second: citation("b", "It falls."), verdict, why: "Opposite.", score: 0.5 });

test("a section is kept, and what is kept is neither written again nor deleted", async () => {
  // A section that was read and corrected would be lost.
  const section = (number: number, isKept: boolean) => ({ number, title: `Part ${number}`, state: "written", kept: isKept, answer: { note: "", statements: [{ text: `Said ${number}.`, status: "supported", why: "", citations: [citation("a", "It rises.")] }] } });
  const report = { id: "rev-1", name: "Mine", question: "Why?", sections: [section(1, false), section(2, true)], papers: [], disagreements: [pairOf("contradict")], coverage: { searched: 9, found: 3, read: 2, abstract_only: 1, left_out: 1 }, note: "" };
  const requests = serve({ "/reviews/reports/rev-1": report });
  show(<ReportView review={review("report")} />, "/review/report");
  expect(await screen.findByText(/9 papers searched, 3 found, 2 read\. 1 of these only as abstracts\. 1 not included\./)).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "Write again" }).length).toBe(1);
  expect(screen.getByText("cannot both hold")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Keep" }));
  await waitFor(() => expect(requests).toContain('POST /reviews/reports/rev-1/sections/1/keep {"off":false}'));
});

test("pairs that nobody judged are candidates, not contradictions", async () => {
  // Without a language model the page would accuse papers.
  let source: EventTarget | undefined;
  vi.stubGlobal("EventSource", class extends EventTarget {
    constructor() {
      super();
      source = this as EventTarget;
    }
    close = () => undefined;
  });
  serve({});
  show(<Contradictions />, "/review/report", "view=contradictions&pairs=job-1");
  await waitFor(() => expect(source).toBeTruthy());
  const result = { contradictions: [], candidates: [pairOf("not judged")], papers: 2, statements: 4, pairs: 1, judged: 0, left: 0, note: "There is no model." };
  source!.dispatchEvent(new MessageEvent("done", { data: JSON.stringify({ job: "job-1", seq: 1, kind: "done", result }) }));
  expect(await screen.findByRole("heading", { name: "One pair that nobody has judged" })).toBeTruthy();
  expect(screen.getByText("not judged")).toBeTruthy();
  expect(screen.queryByText("cannot both hold")).toBeNull();
});
