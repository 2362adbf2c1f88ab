import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import type { NewEntity } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { Discover } from "./Discover";
import { Merges } from "./Merges";
import { Names } from "./Names";
import { Review } from "./Review";

const entity = (id: string) => ({ id, name: `the ${id}`, vocabulary: "v", papers: 1, sentences: 2 });
const citation = (quote: string) => ({ quote, marker: "[A 2001]", passage_id: "p.p1", paper: { id: "p", title: "P" }, spans: [{ id: `p.${quote}`, places: [] }] });
const hop = (quote: string) => ({ first: "a", second: "b", kind: "co-mention", papers: 1, sentences: 1, examples: [citation(quote)] });
const suggestion = (until: number | null) => ({
  entity: entity("a"),
  until,
  candidates: 1,
  note: "",
  nodes: ["a", "b", "c"].map(entity),
  pairs: [
    {
      ...{ rank: 1, source: "a", target: "c", score: 2, worth: 1, spoken: 1, shared: 1, papers: 0 },
      paths: [{ via: "b", worth: 1, hops: [hop("A with B."), hop("B with C.")] }],
      later: until ? { year: 1989, papers: 1, sentences: 1, first: citation("A with C.") } : null,
    },
  ],
});

/** A server that answers by the path, and what it was asked. */
function serveAnswers(answers: Record<string, unknown>) {
  const requests: string[] = [];
  vi.stubGlobal("fetch", (request: Request | string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(request instanceof Request ? request.url : request, "http://here");
    const path = pathname.replace("/api/v1", "");
    requests.push(`${init?.method ?? "GET"} ${path}${search} ${(init?.body as string | undefined) ?? ""}`.trim());
    return Promise.resolve(new Response(JSON.stringify(answers[path] ?? { read_only: false }), { headers: { "content-type": "application/json" } }));
  });
  return requests;
}
afterEach(() => vi.unstubAllGlobals());

function renderView(what: React.ReactNode, searchPath = "") {
  const place = memoryLocation({ path: "/graph", searchPath, record: true });
  render(
    <Router hook={place.hook} searchHook={place.searchHook}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <LanguageProvider>{what}</LanguageProvider>
      </QueryClientProvider>
    </Router>,
  );
}

test("a suggestion is a question with its sentences, and is said to be no finding", async () => {
  // It would be taken for what papers say.
  const requests = serveAnswers({ "/graph/discover": suggestion(null) });
  const chosen: string[][] = [];
  renderView(<Discover entity="a" k={12} onEntities={(ids) => chosen.push(ids)} />);
  expect(await screen.findByRole("heading", { name: "the a and the c?" })).toBeTruthy();
  expect(screen.getByText(/^Suggestions, not findings: no sentence here mentions the a/)).toBeTruthy();
  expect(screen.getByText("A with B.")).toBeTruthy();
  expect(screen.getByText("B with C.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "All paths from the a to the c" }));
  expect(chosen).toEqual([["a", "c"]]);
  expect(requests).toEqual(["GET /graph/discover?name=a&k=12"]);
});

test("of papers up to a year it is told what later ones say", async () => {
  serveAnswers({ "/graph/discover": suggestion(1987) });
  renderView(<Discover entity="a" k={12} onEntities={() => undefined} />, "until=1987");
  expect(await screen.findByText("mentioned together since 1989")).toBeTruthy();
  expect(screen.getByText("A with C.")).toBeTruthy();
  expect(screen.getByText(/no sentence of a paper up to 1987 mentions/)).toBeTruthy();
});

const newEntity = { id: "local:1", name: "purring", names: ["purring", "purr"], state: "new", papers: 1, sentences: 2, examples: [citation("Cats purr.")] } as unknown as NewEntity;

test("an entity that waits is shown with its sentence, and what is said of it is sent", async () => {
  // A reviewer could not tell what is meant, or would reject another one.
  const requests = serveAnswers({ "/entities/review": { entities: [newEntity], total: 1 } });
  renderView(<Review />);
  expect(await screen.findByText("Cats purr.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Reject purring" }));
  await waitFor(() => expect(requests).toContain('POST /entities/reject {"entities":["local:1"]}'));
  fireEvent.click(screen.getByRole("button", { name: "Accept purring" }));
  await waitFor(() => expect(requests).toContain('POST /entities/accept {"entities":["local:1"]}'));
});

test("a merge is undone", async () => {
  const merge = { entity: "X:1", name: "one", into: "X:2", into_name: "two", made: "2026-01-01T00:00:00Z" };
  const requests = serveAnswers({ "/entities/merges": { merges: [merge] } });
  renderView(<Merges onEntity={() => undefined} />);
  fireEvent.click(await screen.findByRole("button", { name: "Undo the merge of one into two" }));
  await waitFor(() => expect(requests).toContain('POST /entities/unmerge {"entity":"X:1"}'));
});

test("what was learnt of names is shown, learnt from files, and taken back", async () => {
  // What was learnt from a wrong file would go on deciding what is found.
  const rule = (name: string, verdict: string, source: string) => ({ name, verdict, source, concept: "CL:1", made: "2026" });
  const requests = serveAnswers({
    "/name-rules": { rules: [rule("cone", "use", "learnt"), rule("skin", "leave", "learnt"), rule("arm", "leave", "user")] },
    "/name-rules/learn": { job: "job-1" },
    "/name-rules/learnt": { forgotten: [rule("cone", "use", "learnt"), rule("skin", "leave", "learnt")] },
  });
  vi.stubGlobal("EventSource", class extends EventTarget {
    close = () => undefined;
  });
  renderView(<Names />);
  expect(await screen.findByText("2 names were learnt. They apply the next time entities are found.")).toBeTruthy();
  expect([screen.getByText("cone"), screen.getByText("skin")].length).toBe(2);
  expect(screen.queryByText("arm")).toBeNull();
  fireEvent.change(screen.getByLabelText("Training files"), { target: { files: [new File(["{}"], "gold.jsonl")] } });
  await waitFor(() => expect(requests.some((request) => request.startsWith("POST /name-rules/learn"))).toBe(true));
  fireEvent.click(screen.getByRole("button", { name: "Forget what was learnt" }));
  await waitFor(() => expect(screen.queryByText("cone")).toBeNull());
  expect(requests.some((request) => request.startsWith("DELETE /name-rules/learnt"))).toBe(true);
});
