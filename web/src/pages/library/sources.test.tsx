import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { api } from "../../api/client";
import type { OnlineWork, OnlineResults } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { addressOf, nameOf, readTyped, requestOf, yearsOf } from "./sources";
import { Online } from "./Online";
import { ServiceReports } from "./Services";
import { type AddOnline, Works } from "./Works";

const metadata = (values: object) => ({ title: "", authors: [], abstract: "", year: null, doi: "", arxiv_id: "", pmid: "", bibcode: "", venue: "", citation_count: null, extra: {}, ...values }) as unknown as OnlineWork["paper"];
const work = (rank: number, values: object, more: Partial<OnlineWork> = {}): OnlineWork => ({
  ...{ rank, service: "crossref", services: ["crossref"], paper: metadata(values), in_library: "", open_access: false, retracted: false },
  ...more,
});

test.each([
  ["10.1038/nature03721", ["10.1038/nature03721"]],
  ["doi: 10.1038/nature03721", ["doi:10.1038/nature03721"]],
  ["https://doi.org/10.1/x, arXiv:2101.00001", ["https://doi.org/10.1/x", "arXiv:2101.00001"]],
  ["2101.00001v2 astro-ph/0601001 PMC123 2019ApJ...870...25A", ["2101.00001v2", "astro-ph/0601001", "PMC123", "2019ApJ...870...25A"]],
  ["10.1/x\n10.1/x", []], // no registrant of a DOI has one digit
  ["10.1000/x\n10.1000/x", ["10.1000/x"]],
])("identifiers are told from words: %s", (text, names) => {
  // Else a DOI is searched as words, and the paper is not added.
  expect(readTyped(text).names).toEqual(names);
});

test("words are searched, also where one of them looks like an identifier", () => {
  // Else a title could not be searched because of one of its words.
  expect(readTyped("  grid   cells ")).toEqual({ names: [], others: [], words: "grid cells" });
  expect(readTyped("12345")).toMatchObject({ names: [], words: "12345" });
  expect(readTyped("the protein PMC12 in mice").words).toBe("the protein PMC12 in mice");
  expect(readTyped("10.1000/x\nfoo bar\nPMC12")).toEqual({ names: ["10.1000/x", "PMC12"], others: ["foo", "bar"], words: "" });
});

test("a work is added by its surest identifier, and its link is never one that a service gives", () => {
  // Else a click on a title could lead anywhere.
  const hostile = metadata({ url: "javascript:alert(1)", extra: { pmcid: "PMC7" } });
  expect([nameOf(hostile), addressOf(hostile)]).toEqual(["pmcid:PMC7", ""]);
  const withDoi = metadata({ doi: "10.1000/a?b#c", pmid: "5" });
  expect([nameOf(withDoi), addressOf(withDoi)]).toEqual(["doi:10.1000/a?b#c", "https://doi.org/10.1000/a%3Fb%23c"]);
  expect(nameOf(metadata({ title: "A talk", extra: { s2: 5 } }))).toBe("");
});

test("what a search is made of is sent as the server takes it", () => {
  // Else years or services that were chosen would not matter.
  const request = requestOf(new URLSearchParams("q=grid&from=arxiv&from=ads&year=2005..&author=Moser&job=j"));
  expect(request).toEqual({ words: "grid", from_services: ["arxiv", "ads"], year: "2005..", author: "Moser", venue: "", mesh: "" });
  expect(requestOf(new URLSearchParams())).not.toHaveProperty("year"); // an empty one is refused
  expect([yearsOf("2005", ""), yearsOf("", "2010"), yearsOf("", "")]).toEqual(["2005..", "..2010", ""]);
});

const sent: { method: string; path: string; body: unknown }[] = [];
let online = true;
beforeEach(() => {
  sent.length = 0;
  vi.stubGlobal("EventSource", class extends EventTarget { close() {} });
  vi.stubGlobal("fetch", async (path: string, how: RequestInit = {}) => {
    sent.push({ method: how.method ?? "GET", path: path.replace("/api/v1", ""), body: JSON.parse(String(how.body)) });
    return new Response(JSON.stringify({ job: "job-1", state: "running" }), { status: 202 });
  });
  vi.spyOn(api, "GET").mockImplementation((async (path: string) => {
    const answers: Record<string, object> = {
      "/api/v1/settings": { settings: [{ name: "sources.online", value: online }] },
      "/api/v1/sources": { services: [{ name: "crossref", title: "Crossref", finds: ["words"], limit: "", budget_left: null, requests_today: 0 }] },
      "/api/v1/health": { read_only: false, version: "1" },
    };
    return { data: answers[path] };
  }) as never);
});
afterEach(() => {
  online = true;
  vi.unstubAllGlobals();
});

/** Around what is shown; the same for all times that it is shown. */
function renderInside() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { hook, searchHook } = memoryLocation({ path: "/library/online" });
  return ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <Router hook={hook} searchHook={searchHook}>
          {children}
        </Router>
      </LanguageProvider>
    </QueryClientProvider>
  );
}
const show = (children: ReactNode) => render(children, { wrapper: renderInside() });

test("identifiers are added and words are searched, by Enter", async () => {
  // Else what is typed goes to the wrong place.
  show(<Online />);
  const box = screen.getByRole("textbox", { name: "DOI, link or words" });
  await userEvent.type(box, "10.1000/x PMC12");
  await waitFor(() => expect(screen.getByRole("button", { name: "Add 2 papers" })).toHaveProperty("disabled", false));
  await userEvent.type(box, "{Enter}");
  expect(sent).toEqual([{ method: "POST", path: "/sources/papers", body: { papers: ["10.1000/x", "PMC12"], full_text: false, found_for: "" } }]);
  await userEvent.clear(box);
  await userEvent.type(box, "grid cells{Enter}");
  expect(sent[1]).toMatchObject({ path: "/sources/find", body: { words: "grid cells", k: 25 } });
});

test("where nothing may be asked this is said before a click, and nothing is sent", async () => {
  // Else somebody's question would leave the machine against the settings, or fail without saying why.
  online = false;
  show(<Online />);
  expect(await screen.findByText("Online services are turned off.")).toBeTruthy();
  await userEvent.type(screen.getByRole("textbox", { name: "DOI, link or words" }), "grid cells{Enter}");
  expect(screen.getByRole("button", { name: "Search online" })).toHaveProperty("disabled", true);
  expect(sent).toEqual([]);
});

const idle = (failed?: { path: string; reason: string }[]): AddOnline & { additions: unknown[] } => {
  const additions: unknown[] = [];
  const events = failed ? [{ kind: "done", result: { added: 1, failed, unread: [] } }] : [];
  const followed = { events, state: "done", error: null, isAway: false } as unknown as AddOnline["followed"];
  return { additions, job: failed && "job-1", followed, isFull: false, isBusy: false, add: async (...args) => void additions.push(args), fetchFull: () => undefined };
};

test("of the works found those are chosen that can be added; what failed stays to be chosen, with its reason", async () => {
  // Else "select all" would add what is there, or a failure would look like a paper of the library.
  const results = [work(1, { title: "New", doi: "10.1000/new" }), work(2, { title: "Away", pmid: "5" }), work(3, { title: "There", doi: "10.1000/t" }, { in_library: "p1" }), work(4, { title: "Talk" }, { retracted: true })];
  const search: OnlineResults = { query: "grid", results, services: [], added: null, unread: [] };
  const before = idle();
  const { rerender, container } = show(<Works search={search} adding={before} none="" />);
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all (2)" }));
  await userEvent.click(screen.getByRole("button", { name: "Add selected (2)" }));
  expect(before.additions).toEqual([[["doi:10.1000/new", "pmid:5"], "grid"]]);
  expect(container.querySelectorAll(".work .chip")).toHaveLength(1);
  expect(screen.getByText("retracted")).toBeTruthy();
  expect(screen.getByText("no identifier, cannot be added")).toBeTruthy();
  rerender(<Works search={search} adding={idle([{ path: "pmid:5", reason: "Nobody knows it." }])} none="" />);
  expect(screen.getByText("Nobody knows it.")).toBeTruthy();
  expect(container.querySelectorAll(".work .chip")).toHaveLength(2);
  expect(screen.getByRole("checkbox", { name: "Select all (1)" })).toBeTruthy();
});

test("what a service could not do is said", async () => {
  // Else half of the works would be taken for all there are.
  show(<ServiceReports reports={[{ name: "crossref", requests: 1, cost: 0, found: 25, total: 900, note: "It gave 25 works before.", some_words: false }]} />);
  expect(await screen.findByText("Crossref")).toBeTruthy();
  expect(screen.getByText("25 works of 900")).toBeTruthy();
  expect(screen.getByText("It gave 25 works before.")).toBeTruthy();
});

test("that no service answered is not that there is nothing", async () => {
  // Else somebody would take a lost connection for a gap in the literature.
  const report = (note: string) => ({ name: "crossref", requests: 1, cost: 0, found: 0, total: null, note, some_words: false });
  const search = (...notes: string[]): OnlineResults => ({ query: "grid", results: [], services: notes.map(report), added: null, unread: [] });
  const { rerender } = show(<Works search={search("It did not answer.")} adding={idle()} none="Nothing." />);
  expect(screen.getByRole("status").textContent).toContain("No service answered");
  rerender(<Works search={search("It did not answer.", "")} adding={idle()} none="Nothing." />);
  expect(screen.getByRole("status").textContent).toBe("Nothing. One service had problems; see below the list.");
});
