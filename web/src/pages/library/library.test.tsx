import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, renderHook, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api } from "../../api/client";
import * as jobs from "../../api/jobs";
import { useJobs } from "../../api/jobs";
import type { LedgerRow, Paper } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { Confirmation } from "../../parts/confirm";
import { extentOf } from "../../parts/TextBadge";
import { watch } from "../../parts/uploads";
import { PaperFields } from "./Details";
import { readCriteria } from "./Papers";
import { useForget } from "./Files";
import { remedyOf } from "./Health";
import { collectChanges, toFieldTexts } from "./EditForm";
import { removeAll } from "./removal";
import { idsBetween, PAGE, pagesOf } from "./rows";
import { collectFiles, summaryOf, Uploads, useAddJobs } from "./Uploads";

const requests: { method: string; path: string }[] = [];
beforeEach(() => {
  requests.length = 0;
  vi.stubGlobal("fetch", async (path: string, how: RequestInit = {}) => {
    requests.push({ method: how.method ?? "GET", path });
    const query = new URL(path, "http://here").searchParams;
    const start = query.get("after") ? Number(query.get("after")) : Number(query.get("offset") ?? 0);
    const papers = Array.from({ length: PAGE }, (_, at) => ({ id: `p${start + at}`, title: "A", authors: [] }));
    return new Response(JSON.stringify({ papers, next: String(start + PAGE), total: 100_000 }));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

test("of papers that are removed each that can come back is named, and one that fails stops no other", async () => {
  // Else a slip of the finger costs papers with all that is kept about them.
  vi.stubGlobal("fetch", async (path: string) => {
    requests.push({ method: "DELETE", path });
    const status = path.endsWith("/b") ? 500 : 200;
    return new Response(JSON.stringify({ undo: `rem-${path.at(-1)}`, detail: "no", hint: "" }), { status });
  });
  const { undo, removed, error } = await removeAll(["x/a", "b", "c"]);
  expect(requests[0]!.path).toBe("/api/v1/papers/x%2Fa");
  expect(undo).toEqual(["rem-c", "rem-a"]);
  expect(removed).toBe(2);
  expect(error?.message).toBe("no");
});

test("Shift takes all rows between two, also those that were never in view, in either direction", async () => {
  const queries = new QueryClient();
  const criteria = readCriteria(new URLSearchParams("sort=year"));
  const ids = await idsBetween(queries, criteria, PAGE + 2, PAGE - 2);
  expect(ids).toEqual(["p198", "p199", "p200", "p201", "p202"]);
  expect(requests[0]!.path).toContain("sort=year&order=desc");
  expect(requests[1]!.path).toContain(`after=${PAGE}`); // behind the page before, which is known
  expect(pagesOf(0, PAGE - 1)).toEqual([0]);
  expect(pagesOf(PAGE - 1, PAGE)).toEqual([0, 1]);
});

test("each remedy that the server has is a button, others are words", () => {
  const finding = { check: "", ok: false, detail: "" };
  expect(remedyOf({ ...finding, remedy: "Run `doctor fix=True`." })).toBe("/doctor");
  expect(remedyOf({ ...finding, remedy: "Run `library reindex`." })).toBe("/reindex");
  // else the button would read none of the files that failed for reasons that stay, and the remedy says that they are mended
  const failed = "`status failed=True` says why. Mend them, then: `retry everything=True`; or: `forget FILE`";
  expect(remedyOf({ ...finding, remedy: failed })).toBe("/files/retry?everything=true");
  expect(remedyOf({ ...finding, remedy: "Move the library to another disk." })).toBeNull();
  expect(remedyOf({ ...finding, ok: true, remedy: "Run `library reindex`." })).toBeNull();
});

test("of a job that has ended all files are shown, not only those that were read", () => {
  // Else a file that is known already would look as if it had been lost.
  const file = { kind: "file", outcome: "added", file: { path: "/a.pdf", reason: "" } };
  const done = { kind: "done", result: { files: [{ outcome: "unchanged", path: "/b.pdf", reason: "" }, { outcome: "added", path: "/a.pdf", reason: "" }] } };
  const of = (...events: object[]) => collectFiles({ events } as never).map((entry) => `${entry.outcome} ${entry.path}`);
  expect(of(file)).toEqual(["added /a.pdf"]);
  expect(of(file, done)).toEqual(["unchanged /b.pdf", "added /a.pdf"]);
});

test("a paper without an abstract is not said to have one", () => {
  // Else somebody opens it for its abstract, and finds nothing.
  expect(extentOf({ has_full_text: true, abstract: "" })).toBe("full");
  expect(extentOf({ has_full_text: false, abstract: "Cells fire." })).toBe("abstract");
  expect(extentOf({ has_full_text: false, abstract: "" })).toBe("title");
});

test("the year of a paper stands as its year", () => {
  // Else a paper of no journal would have one that is called 2001.
  const paper = { id: "p", title: "A", authors: [], year: 2001, venue: "" } as unknown as Paper;
  const { container } = render(
    <LanguageProvider>
      <PaperFields paper={paper} />
    </LanguageProvider>,
  );
  expect([...container.querySelectorAll("dl > div")].map((row) => [...row.children].map((part) => part.textContent))).toEqual([["Year", "2001"]]);
});

test("only what was changed by hand is sent, in the form that the server takes", () => {
  // Else saving one field would pin all of them against what better files say later.
  const paper = { id: "p", title: "A", authors: [{ name: "Ann B." }], keywords: ["x", "y"], year: 2001 } as never;
  const before = toFieldTexts(paper);
  expect(before).toMatchObject({ authors: "Ann B.", keywords: "x; y", year: "2001", doi: "" });
  expect(collectChanges(before, { ...before, title: "A " })).toEqual({});
  expect(collectChanges(before, { ...before, year: "", authors: "Ann B.; Carl D. ;", doi: "10.1/x" })).toEqual({
    year: null,
    authors: ["Ann B.", "Carl D."],
    doi: "10.1/x",
  });
  expect(collectChanges(before, { ...before, year: "soon" })).toEqual({ year: "soon" }); // refused there, with the reason
});

test("the jobs that the navigation counts are those that the library shows", async () => {
  // Else the two keep another shape of the same answer, and the whole library page fails.
  vi.useRealTimers();
  const listed = ["add", "ask", "retry"].map((verb, at) => ({ job: `j${at}`, verb, state: "done", failed: 0 }));
  vi.spyOn(api, "GET").mockResolvedValue({ data: { jobs: listed } } as never);
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ jobs: listed })));
  const queries = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
  const counted = renderHook(() => useJobs(), { wrapper });
  await waitFor(() => expect(counted.result.current.data).toHaveLength(3));
  const addingHook = renderHook(() => useAddJobs(), { wrapper });
  expect(addingHook.result.current.map((job) => job.job)).toEqual(["j0", "j2"]);
});

test("a file that failed is forgotten after a question, and by its own path", async () => {
  // Else an empty or broken PDF stays in the list for good.
  const queries = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        {children}
        <Confirmation />
      </LanguageProvider>
    </QueryClientProvider>
  );
  const forgetHook = renderHook(() => useForget(), { wrapper });
  void forgetHook.result.current({ path: "/files/a b.pdf", state: "failed" } as LedgerRow);
  await screen.findByText("Forget a b.pdf?");
  expect(requests).toEqual([]);
  screen.getByRole("button", { name: "Forget", hidden: true }).click();
  await waitFor(() => expect(requests).toEqual([{ method: "DELETE", path: "/api/v1/files?path=%2Ffiles%2Fa+b.pdf" }]));
});

test("what was added is one line that can be closed", async () => {
  // Else "Being added" stays as a heading over a list that pushes the papers down.
  vi.useRealTimers();
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ jobs: [{ job: "j1", verb: "add", state: "done", failed: 1 }] })));
  vi.spyOn(api, "GET").mockResolvedValue({ data: { jobs: [{ job: "j1", verb: "add", state: "done", failed: 1 }] } } as never);
  const file = (outcome: string, papers: number) => ({ outcome, papers, path: `/${outcome}.pdf`, reason: "" });
  const result = { files: [file("added", 18), file("updated", 2), file("unchanged", 5), file("failed", 0)] };
  vi.spyOn(jobs, "useJob").mockReturnValue({ events: [{ kind: "done", seq: 1, result } as never], state: "done", error: null, isAway: false });
  watch("j1", "papers");
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>
        <Uploads />
      </LanguageProvider>
    </QueryClientProvider>,
  );
  await screen.findByRole("region", { name: "Added" });
  expect(screen.getByRole("status").textContent).toBe("20 papers added · One file could not be read");
  expect(screen.queryByRole("heading")).toBeNull();
  expect(screen.queryByText("added.pdf")).toBeNull();
  expect(screen.getByText("failed.pdf")).toBeTruthy();
  screen.getByRole("button", { name: "Close: papers" }).click();
  await waitFor(() => expect(screen.queryByRole("region")).toBeNull());
  const only = (outcome: string) => summaryOf([{ ...file(outcome, 1) }], ((key: string) => key) as never);
  expect(only("unchanged")).toBe("library.uploads.nothing");
});
