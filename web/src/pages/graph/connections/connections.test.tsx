import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { beforeEach, expect, test, vi } from "vitest";
import type { CitationGraph, CitationNode } from "../../../api/types";
import { LanguageProvider } from "../../../i18n";
import { Connections } from ".";
import { chooseLabels, planLayout, radius, short } from "./layout";

const work = (id: string, year: number | null, more: Partial<CitationNode> = {}): CitationNode => ({
  id, relation: "near", in_library: true, title: `On ${id}`, byline: id, year, link: "", links: 1, citation_count: null, counted: "", counted_by: "", ...more,
});
const graph = {
  schema: "conspectus.sources.graph/1",
  nodes: [
    work("a", 2000, { relation: "seed", links: 3 }),
    work("b", 1990, { relation: "earlier" }),
    work("c", 2010, { relation: "later" }),
    work("doi:10.1000/x", null, { relation: "earlier", in_library: false, title: "", byline: "", link: "https://doi.org/10.1000/x" }),
  ],
  edges: [{ source: "a", target: "b" }, { source: "c", target: "a" }, { source: "a", target: "doi:10.1000/x" }],
  left_out: 5,
  services: [],
} as CitationGraph;

test("works stand by their year, within the picture, and none lies on another", () => {
  const many = Array.from({ length: 30 }, (_, at) => work(`w${at}`, at % 7 ? 1980 + 3 * (at % 7) : null, { citation_count: at * 40 }));
  const edges = many.slice(1).map(({ id }) => ({ source: "w0", target: id }));
  const { works, years } = planLayout({ nodes: many, edges }, 900, 540);
  for (const { x, y, r } of works) expect(x - r >= 0 && x + r <= 900 && y - r >= 0 && y + r <= 520).toBe(true);
  const touching = works.flatMap((placed, at) => works.slice(at + 1).filter((other) => Math.hypot(placed.x - other.x, placed.y - other.y) < placed.r + other.r));
  expect(touching).toEqual([]);
  const dated = works.filter((placed) => placed.work.year !== null);
  expect([...dated].sort((placed, other) => placed.x - other.x).map((placed) => placed.work.year)).toEqual(dated.map((placed) => placed.work.year).sort());
  expect(Math.max(...works.filter((placed) => placed.work.year === null).map((placed) => placed.x))).toBeLessThan(Math.min(...dated.map((placed) => placed.x)));
  expect(years[0]!.year).toBe(0);
});

test.each([[[]], [[work("a", null)]], [[work("a", 2000)]], [[work("a", 2000), work("b", 2000)]]])("few works are drawn, too", (nodes) => {
  const { works } = planLayout({ nodes, edges: [] }, 300, 340);
  expect(works.length).toBe(nodes.length);
  expect(works.every(({ x, y }) => x > 0 && x < 300 && y > 0 && y < 340)).toBe(true);
});

test("a work that was cited more is larger, and names do not lie on each other", () => {
  expect(radius(work("a", 1, { citation_count: 1000 }))).toBeGreaterThan(radius(work("a", 1)));
  const at = (id: string, x: number) => ({ work: work(id, 2000), x, y: 50, r: 8 });
  expect([...chooseLabels([at("first", 60), at("second", 70), at("edge", 5), at("third", 240)], 300, short)]).toEqual(["first", "third"]);
  expect(short(work("a", 2000, { byline: "Somebody with a rather long name" }))).toHaveLength(26);
  expect(short(graph.nodes[3]!)).toBe("doi:10.1000/x");
});

let requests: string[] = [];
beforeEach(() => {
  requests = [];
  vi.stubGlobal("fetch", async (request: Request | string, init?: RequestInit) => {
    const url = String(typeof request === "string" ? request : request.url);
    requests.push(`${init?.method ?? "GET"} ${url.replace(/^.*\/api\/v1/, "")} ${String(init?.body ?? "")}`);
    return Response.json(url.includes("/sources/graph") ? graph : { job: "job-1" });
  });
  vi.stubGlobal("EventSource", class extends EventTarget {
    close = () => undefined;
  });
});

function renderPage(search: string) {
  const { hook, searchHook, history } = memoryLocation({ path: `/graph?${search}`, record: true });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(["settings"], { settings: [{ name: "sources.online", value: false, fixed: "" }] });
  render(
    <QueryClientProvider client={client}>
      <Router hook={hook} searchHook={searchHook}>
        <LanguageProvider>
          <Connections />
        </LanguageProvider>
      </Router>
    </QueryClientProvider>,
  );
  return history;
}

test("a work of the library opens in the reader, another one as a card that adds it", async () => {
  // A node that leads nowhere is a picture.
  const history = renderPage("view=connections&paper=a");
  expect(await screen.findByText("4 works, 3 of them in your library")).toBeTruthy();
  expect(requests[0]).toContain("offline=true");
  fireEvent.click(screen.getByRole("button", { name: "On c" }));
  await waitFor(() => expect(history.at(-1)).toContain("read=c"));
  fireEvent.click(screen.getByRole("button", { name: "doi:10.1000/x" }));
  expect(screen.getByRole("link", { name: "Open on the web" }).getAttribute("href")).toBe("https://doi.org/10.1000/x");
  fireEvent.click(screen.getByRole("button", { name: "Add to the library" }));
  await waitFor(() => expect(requests).toContain('POST /sources/papers {"papers":["doi:10.1000/x"]}'));
});

test("the picture and the lists have the same works", async () => {
  renderPage("view=connections&paper=a");
  await screen.findByText(/4 works/);
  for (const name of [/On b · b · 1990/, /On c · c · 2010/, /10.1000\/x · earlier work · not in the library/]) expect(screen.getByRole("button", { name })).toBeTruthy();
  expect(screen.getByRole("region", { name: "Earlier work" }).querySelectorAll("li").length).toBe(2);
  expect(screen.getByRole("region", { name: "Later work" }).querySelectorAll("li").length).toBe(1);
});

test("another seed is added, and services are asked only if wished", async () => {
  const history = renderPage("view=connections&paper=a");
  fireEvent.click(await screen.findByRole("button", { name: "Also build the graph around On c" }));
  expect(history.at(-1)).toContain("paper=a&paper=c");
  fireEvent.click(screen.getByRole("checkbox"));
  await waitFor(() => expect(requests.at(-1)).toContain("offline=false"));
  expect(await screen.findByText("Online services are turned off.")).toBeTruthy();
});
