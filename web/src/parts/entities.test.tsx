import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { Mention } from "../api/types";
import { LanguageProvider } from "../i18n";
import { EntityChips } from "./EntityChips";
import { useMentions } from "./entities";

const mention = (entity: string, span_id = "p.s1") =>
  ({ passage_id: "p.p1", span_id, start: 0, end: 4, text: "word", entity, name: `the ${entity}`, vocabulary: "v", score: 1, method: "exact", others: [] }) as Mention;

function renderNode(what: React.ReactNode) {
  const place = memoryLocation({ path: "/ask/a", searchPath: "read=p1&page=2&q=x", record: true });
  render(
    <Router hook={place.hook} searchHook={place.searchHook}>
      <QueryClientProvider client={new QueryClient()}>
        <LanguageProvider>{what}</LanguageProvider>
      </QueryClientProvider>
    </Router>,
  );
}

function serveMentions(linked: boolean) {
  const queries: URLSearchParams[] = [];
  vi.stubGlobal("fetch", (request: Request | string | URL) => {
    const { pathname, searchParams } = new URL(request instanceof Request ? request.url : request, "http://here");
    expect(pathname).toBe("/api/v1/mentions");
    queries.push(searchParams);
    const mentions = searchParams.getAll("span").map((span) => mention("X:1", span));
    return Promise.resolve(new Response(JSON.stringify({ linked, mentions }), { headers: { "content-type": "application/json" } }));
  });
  return queries;
}
afterEach(() => vi.unstubAllGlobals());

const SPANS = Array.from({ length: 120 }, (_, at) => `p.s${at}`);
const SentenceCount = () => <p>{useMentions([...SPANS, ...SPANS]).size} sentences</p>;

test("many sentences are asked for at once, each once", async () => {
  // An answer of a hundred citations would ask a hundred times.
  const queries = serveMentions(true);
  renderNode(<SentenceCount />);
  expect(await screen.findByText("120 sentences")).toBeTruthy();
  expect(queries.map((query) => query.getAll("span").length)).toEqual([0, 100, 20]);
});

test("a library that was never linked is asked for nothing", async () => {
  const queries = serveMentions(false);
  renderNode(<SentenceCount />);
  await waitFor(() => expect(queries.length).toBe(1));
  await new Promise((done) => setTimeout(done));
  expect(queries.map((query) => query.getAll("span"))).toEqual([[]]);
});

test("each entity is a chip that leads to the graph, and what is read stays beside it", () => {
  // Who looks an entity up would lose the place.
  renderNode(<EntityChips mentions={[..."12345678"].flatMap((id) => [mention(`X:${id}`), mention(`X:${id}`)])} />);
  expect(screen.getAllByRole("link").length).toBe(6);
  const href = screen.getByRole("link", { name: "the X:1" }).getAttribute("href");
  expect(href).toBe("/graph?entity=X%3A1&read=p1&page=2");
  fireEvent.click(screen.getByRole("button", { name: "2 more entities" }));
  expect(screen.getAllByRole("link").length).toBe(8);
});
