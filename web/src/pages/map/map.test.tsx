import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { Overlay } from "../../api/types";
import { fill, type Key, LanguageProvider } from "../../i18n";
import de from "../../i18n/de.json";
import { translateOverlay } from "../../i18n/translation";
import MapPage from ".";
import { chosenOf, countsOf, litOf, nameOf, overlayOf, readView, textsOf } from "./queries";
import * as saving from "../../parts/save";
import { describeOverlay } from "./Panel";
import { countYears } from "./YearBrush";

const region = (id: number, level: number, parent: number | null, name: string) => ({ id, level, parent, name, named_by: "phrases", terms: ["eels"], size: 2, x: 0, y: 0 });
const REGIONS = [region(1, 0, null, "fish"), region(2, 1, 1, "eels"), region(3, 2, 2, "young eels")];
const MAP = {
  ...{ of: "papers", method: "tsne", model: "m", regions_by: "kmeans", made: "", fitted: 3, left_out: 1, moved: null, texts: 3 },
  ...{ changes: [], regions: REGIONS, notes: ["A note."], state: "7.1" },
};
const topic = (at: number) => ({ region: REGIONS[at], papers: 3, years: {}, growth: 1.5, typical: [{ id: "p", title: "Eels", year: 2001 }], newest: [] });
const YEARS = [{ year: 2001, papers: 3, all: 4, share: 0.75, low: 0.3, high: 0.95 }];

function packPoints(count = 3): ArrayBuffer {
  const buffer = new ArrayBuffer(14 * count);
  new Float32Array(buffer, 0, 2 * count).set([0, 0, 1, 1, 9, 9]);
  new Int32Array(buffer, 8 * count, count).fill(3);
  new Int16Array(buffer, 12 * count, count).set([2001, 2002, -1]);
  return buffer;
}
const points = { count: 3, spots: new Float32Array([0, 0, 1, 1, 9, 9]), regions: new Int32Array([3, 3, 3]), years: new Int16Array([2001, 2002, -1]) };

/** A server that has a map, or says that there is none. */
function serveMap(answers: Record<string, unknown>, count = 3, state = "7.1") {
  const requests: string[] = [];
  vi.stubGlobal("fetch", (input: Request | string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input, "http://here");
    const path = pathname.replace("/api/v1", "");
    requests.push(`${init?.method ?? "GET"} ${path}${search} ${(init?.body as string | undefined) ?? ""}`.trim());
    if (path === "/map/points") return Promise.resolve(new Response(packPoints(count), { headers: state ? { etag: `"${state}"` } : {} }));
    const answer = answers[path] ?? { read_only: false, jobs: [], collections: [] };
    const status = answer === 404 ? 404 : 200;
    return Promise.resolve(new Response(JSON.stringify(status === 404 ? { detail: "None.", status } : answer), { status, headers: { "content-type": "application/json" } }));
  });
  return requests;
}
afterEach(() => vi.unstubAllGlobals());

function renderPage(searchPath = "") {
  const place = memoryLocation({ path: "/map", searchPath, record: true });
  render(
    <Router hook={place.hook} searchHook={place.searchHook}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <LanguageProvider>
          <MapPage />
        </LanguageProvider>
      </QueryClientProvider>
    </Router>,
  );
  return place;
}
const WITH = {
  "/map": MAP,
  "/map/topics": { topics: [topic(1), topic(2)] },
  "/map/trends": { name: "eels", papers: 3, years: YEARS, peak: 2001 },
  "/map/texts": { texts: [{ row: 1, paper: "p1", unit: "", title: "On eels", byline: "Payne", year: 2002, citations: 4 }] },
};

test("where nothing can be drawn, lists say the same in words, down to a paper", async () => {
  // Who sees no map, or has no WebGL, would have nothing.
  const requests = serveMap(WITH);
  const place = renderPage();
  expect(await screen.findByText(/lacks WebGL 2/)).toBeTruthy();
  expect(screen.getByText(/One paper is not on the map/)).toBeTruthy();
  expect(screen.getByText(/A note\./)).toBeTruthy();
  fireEvent.click(await screen.findByRole("button", { name: "eels" }));
  expect(await screen.findByRole("heading", { name: /^eels/ })).toBeTruthy();
  fireEvent.click(await screen.findByRole("button", { name: "On eels" }));
  expect(requests).toContain('POST /map/texts  {"of":"papers","state":"7.1","rows":[0,1,2]}'.replace("  ", " "));
  expect(place.history!.at(-1)).toContain("read=p1");
  expect(await screen.findByRole("button", { name: "Ask these papers" })).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "fish" }));
  expect(place.history!.at(-1)).toContain("region=1");
});

const OVERLAY = {
  ...{ name: "density", of: "papers", since: null, kind: "number", categories: [], notes: [], state: "7.1", modes: null, path: [] },
  ...{ values: [1, 2, 3], legend: { meaning: "papers about it", unit: "papers", low: 1, high: 3, scale: "linear" } },
  regions: [{ id: 2, level: 1, name: "eels", texts: 1, value: 2, category: "", before: null, after: null }],
};

test("values, sizes and the density are of the years that are shown", async () => {
  // A region would seem as large, and a place as dense, as in all years.
  const requests = serveMap({ ...WITH, "/map/overlay": OVERLAY });
  renderPage("overlay=density&years=2001..2001");
  expect(await screen.findByText("One paper · growing 1.5 times as fast as the library · median: 2 papers")).toBeTruthy();
  expect(requests).toEqual(expect.arrayContaining(["GET /map/overlay?of=papers&name=density&year=2001", "GET /map/topics?of=papers&level=1&year=2001"]));
});

test("gaps and trends are of the years that are shown", async () => {
  // Beside ten years of dots would stand the reviews, and the bars, of all years.
  const gap = { id: 1, name: "eels", level: 1, papers: 2, reviews: 1, last_review: 2001, papers_since_review: 1, growth: null, score: 1, latest_reviews: [], newest: [], patterns: [{ kind: "not followed up", value: 2, usual: 9.1, citations: 34, reason: "" }] };
  const requests = serveMap({ ...WITH, "/map/gaps": { regions: [gap], notes: [] } });
  renderPage("panel=gaps&years=2001..2002");
  expect(await screen.findByText("one paper since the last review near the centre (2001)")).toBeTruthy();
  expect(screen.getByText(/cited it 34 times in the last three years, when it had 2 new papers \(9 expected\)/)).toBeTruthy();
  expect(screen.getByText(/Only papers and reviews from the selected years/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Trends" }));
  fireEvent.change(screen.getByRole("searchbox", { name: "Words in papers" }), { target: { value: "eels" } });
  fireEvent.submit(screen.getByRole("searchbox", { name: "Words in papers" }).closest("form")!);
  expect(await screen.findByText(/2001: 3 papers/)).toBeTruthy();
  expect(requests).toEqual(expect.arrayContaining(["GET /map/gaps?level=1&k=1000&year=2001..2002", "GET /map/trends?words=eels&year=2001..2002"]));
});

test("where there is nothing of those years, that is said", async () => {
  // An empty list seems to be one that is still coming.
  serveMap({ ...WITH, "/map/gaps": { regions: [], notes: ["No references of these papers are known."] }, "/map/trends": { name: "eels", papers: 0, years: [], peak: null } });
  renderPage("panel=gaps&years=1900");
  expect(await screen.findByText(/There are none in the selected years/)).toBeTruthy();
  cleanup();
  renderPage("panel=trends&trend=eels&years=1900");
  expect(await screen.findByText(/There are none in the selected years/)).toBeTruthy();
  cleanup();
  renderPage("panel=trends&trend=eels");
  expect(await screen.findByText("No paper has these words.")).toBeTruthy();
});

test("what is of another map is not shown, and the map is read anew", async () => {
  // The values of one map would be painted onto the points of another.
  const requests = serveMap({ ...WITH, "/map/overlay": { ...OVERLAY, state: "8.1" } });
  renderPage("overlay=density");
  await waitFor(() => expect(requests.filter((request) => request.startsWith("GET /map?"))).toHaveLength(2));
  expect(screen.queryByText("papers about it")).toBeNull();
});

test("points of another map have the map read anew", async () => {
  // Dots would have the names of regions that they are no longer in.
  const requests = serveMap(WITH, 3, "8.1");
  renderPage();
  await waitFor(() => expect(requests.filter((request) => request.startsWith("GET /map?"))).toHaveLength(2));
});

test("a region that there is not is told of", async () => {
  serveMap(WITH);
  renderPage("region=77");
  expect(await screen.findByText("The map has no region 77.")).toBeTruthy();
});

test("a passage opens its paper there", async () => {
  // Who points at a passage would have to look for it in the paper.
  const passages = [{ id: "p1.a", spans: [] }, { id: "p1.b", spans: [{ id: "p1.s2", places: [{ page: 4 }] }, { id: "p1.s3", places: [] }] }];
  const texts = [{ row: 1, paper: "p1", unit: "p1.b", title: "On eels", byline: "", year: 2002, citations: null }];
  serveMap({ ...WITH, "/map/texts": { texts }, "/papers/p1/passages": { passages } });
  const place = renderPage("of=passages&region=2");
  fireEvent.click(await screen.findByRole("button", { name: "On eels" }));
  await waitFor(() => expect(place.history!.at(-1)).toContain("read=p1&span=p1.s2&span=p1.s3&page=4"));
});

test("many texts are asked and exported together, and read only then", async () => {
  // Of the larger regions of a library nobody could ask anything, or take it away.
  const requests = serveMap(WITH, 2001);
  const place = renderPage("region=2");
  await screen.findByRole("button", { name: "Ask these papers" });
  expect(requests.filter((request) => request.includes("2000]"))).toHaveLength(0);
  const saved = vi.spyOn(saving, "save").mockReturnValue();
  fireEvent.click(screen.getByRole("button", { name: "Export" }));
  fireEvent.click(screen.getByRole("button", { name: "RIS" }));
  await waitFor(() => expect(saved).toHaveBeenCalledWith("papers.ris", expect.anything()));
  expect(requests).toContain('POST /export {"format":"ris","papers":["p1"]}');
  expect(requests.filter((request) => request.startsWith("POST /map/texts") && request.includes(",2000]"))).toHaveLength(1);
  fireEvent.click(screen.getByRole("button", { name: "Ask these papers" }));
  await waitFor(() => expect(place.history!.at(-1)).toBe("/ask?among=p1"));
  expect(requests.filter((request) => request.startsWith("POST /map/texts") && request.includes(",2000]"))).toHaveLength(2);
  expect(requests.filter((request) => request.startsWith("POST /collections"))).toHaveLength(0);
});

test("a region is renamed", async () => {
  const requests = serveMap(WITH);
  renderPage("region=2");
  fireEvent.click(await screen.findByRole("button", { name: "Rename eels" }));
  fireEvent.change(screen.getByRole("textbox", { name: /keeps this name/, hidden: true }), { target: { value: "anguilla" } });
  fireEvent.submit(document.querySelector("form.naming")!);
  await waitFor(() => expect(requests).toContain('PUT /map/regions/2 {"name":"anguilla"}'));
});

test("without a map it is told how there comes one", async () => {
  const requests = serveMap({ "/map": 404 });
  renderPage();
  fireEvent.click(await screen.findByRole("button", { name: "Make the map" }));
  await waitFor(() => expect(requests).toContain('POST /map {"of":"papers"}'));
});

test("what an address asks for is what is shown, and what it says wrongly is as usual", () => {
  const view = readView(new URLSearchParams("of=passages&overlay=keyword:ALMA&since=2014&years=2001..&region=7&line=0,0;1,0;1,1&panel=gaps&level=2"));
  expect(view).toMatchObject({ of: "passages", overlay: "keyword:ALMA", since: 2014, years: [2001, 9999], region: 7, panel: "gaps", level: 2 });
  expect(view.line).toHaveLength(3);
  expect(readView(new URLSearchParams("of=x&since=y&years=z&region=-1&line=0&panel=q&level=9"))).toEqual({
    ...{ of: "papers", overlay: "", since: null, years: null, region: null, line: [], panel: "regions", level: 1, trend: "" },
  });
  expect(overlayOf("query:a: b")).toEqual({ kind: "query", words: "a: b" });
  expect(overlayOf("nothing:x")).toEqual({ kind: "", words: "" });
  expect([nameOf("year", "x"), nameOf("keyword", " a "), nameOf("keyword", " "), nameOf("", "x")]).toEqual(["year", "keyword:a", "", ""]);
});

test("what is lit, within a region, or within a line is chosen, of the years that are shown", () => {
  const lit = { kind: "lit", values: [0.2, null, 0.9] } as unknown as Overlay;
  expect(litOf(lit, points, null)).toEqual([2, 0]);
  expect(litOf(lit, points, [2001, 2001])).toEqual([0]);
  expect(litOf({ ...lit, kind: "number" }, points, null)).toEqual([]);
  expect(textsOf(points, new Map([[3, 2]]), 2, [2002, 2010])).toEqual([1]);
  expect(chosenOf(points, [], null)).toEqual([]);
  const regions = REGIONS as unknown as Parameters<typeof countsOf>[1];
  expect(countsOf(points, regions, null)).toBeNull();
  expect([...countsOf(points, regions, [2002, 2010])!]).toEqual([[1, 1], [2, 1], [3, 1]]);
  expect([...countsOf(points, regions, [1900, 1901])!]).toEqual([[1, 0], [2, 0], [3, 0]]);
  expect(countYears(points)).toEqual({ first: 2001, counts: [1, 1] });
});

test("an overlay is told in the page's language, and what a user wrote stays", () => {
  // Who chose German would read the legend in English.
  const t = (key: Key, values?: Record<string, string | number>) => fill(de[key], values);
  const row = { id: 2, level: 1, name: "papers", texts: 1, value: 1, category: "other", before: null, after: null };
  const legend = { ...OVERLAY.legend, meaning: "papers with the keyword or the words share" };
  const overlay = translateOverlay(t, { ...OVERLAY, legend, regions: [row], categories: ["score", "other"], notes: ["?"] } as unknown as Overlay);
  expect(overlay.legend).toMatchObject({ meaning: "Arbeiten mit dem Schlagwort oder den Wörtern share", unit: "Arbeiten" });
  expect([overlay.categories, overlay.regions[0]!.category, overlay.regions[0]!.name, overlay.notes]).toEqual([["score", "andere"], "andere", "papers", ["?"]]);
});

test("what an overlay says of a region is told with its kind", () => {
  const row = { id: 2, level: 1, name: "eels", texts: 3, value: 0.25, category: "", before: null, after: null };
  const t = (key: string, values?: object) => `${key} ${Object.values(values ?? {}).join()}`;
  const describeRow = (values: object, kind: string) => describeOverlay(t, { name: "year", kind, legend: { unit: "papers" }, regions: [{ ...row, ...values }] } as unknown as Overlay, 2);
  expect(describeRow({}, "lit")).toBe("25% (3)");
  expect(describeRow({ value: 2011.5 }, "number")).toBe("map.value 2012 papers");
  expect(describeRow({ category: "stars" }, "category")).toBe("stars 25%");
  expect(describeRow({ before: 0.1, after: 0.35 }, "lit")).toBe("10% → 35% (+25%)");
  expect(describeRow({ value: null }, "lit")).toBe("");
  expect(describeOverlay(t, undefined, 2)).toBe("");
});

test("points of another map are asked for once more, and not for ever; without a tag they are taken", async () => {
  const requests = serveMap({ "/map": MAP }, 3, "8.1");
  renderPage();
  const count = () => requests.filter((request) => request.startsWith("GET /map/points")).length;
  await waitFor(() => expect(count()).toBe(2));
  await new Promise((done) => setTimeout(done, 200));
  expect(count()).toBe(2);
  cleanup();
  const plain = serveMap({ "/map": MAP }, 3, "");
  renderPage();
  expect(await screen.findByText(/A note\./)).toBeTruthy();
  expect(plain.filter((request) => request.startsWith("GET /map/points")).length).toBe(1);
});
