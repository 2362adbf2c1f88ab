import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { api } from "../../api/client";
import type { ZoteroStatus } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { WriteButton, ExportReport } from "./ZoteroExport";
import { Zotero } from "./Zotero";

const sent: { path: string; body: unknown }[] = [];
const events: object[] = [];
let status: ZoteroStatus;
const zoteroStatus: ZoteroStatus = {
  ...{ schema: "conspectus.zotero.status/1", reads: "program", zotero: "Zotero on this machine", version: "10.0.4", why: "", imported: "", writes: "program", why_not: "" },
  collections: [{ path: "Reading", items: 2, imported: false }, { path: "Reading/Grid", items: null, imported: true }],
} as ZoteroStatus;
const away: ZoteroStatus = { ...zoteroStatus, reads: "none", why: "No Zotero library was found.", writes: "none", why_not: "No Zotero allows it.", collections: [] };

beforeEach(() => {
  sent.length = events.length = 0;
  status = zoteroStatus;
  vi.stubGlobal("EventSource", class extends EventTarget {
    constructor() {
      super();
      setTimeout(() => events.forEach((event, seq) => this.dispatchEvent(new MessageEvent((event as { kind: string }).kind, { data: JSON.stringify({ seq, ...event }) }))));
    }
    close() {}
  });
  vi.stubGlobal("fetch", async (path: string, how: RequestInit = {}) => {
    sent.push({ path: path.replace("/api/v1", ""), body: JSON.parse(String(how.body)) });
    return new Response(JSON.stringify({ job: "job-1", state: "running" }), { status: 202 });
  });
  vi.spyOn(api, "GET").mockImplementation((async (path: string) => {
    const answers: Record<string, object> = { "/api/v1/zotero": status, "/api/v1/health": { read_only: false, version: "1" }, "/api/v1/papers/{paper}": { paper: { id: "p1", title: "Grid cells" } } };
    return { data: answers[path] };
  }) as never);
});
afterEach(() => vi.unstubAllGlobals());

function show(children: ReactNode, path = "/library/zotero") {
  const { hook, searchHook } = memoryLocation({ path });
  return render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <LanguageProvider>
        <Router hook={hook} searchHook={searchHook}>
          {children}
        </Router>
      </LanguageProvider>
    </QueryClientProvider>,
  );
}

test("a collection is imported by its path, and what came and what did not is told", async () => {
  // Else a user would import another collection, or think that all had come.
  events.push({ kind: "note", text: "3 files of Zotero cannot be added." }, { kind: "done", result: { added: 2, failed: [], unread: [] } });
  show(<Zotero />);
  expect(await screen.findByText("Zotero 10.0.4 is running on the server's machine, and Conspectus reads it.")).toBeTruthy();
  expect(screen.getByText("2 items")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Import again: Reading/Grid" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Import Reading" }));
  expect(sent).toEqual([{ path: "/zotero/import", body: { collection: "Reading" } }]);
  expect(await screen.findByText("2 papers are new in the library.")).toBeTruthy();
  expect(screen.getByText("3 files of Zotero cannot be added.")).toBeTruthy();
});

test("where there is no Zotero this is said, and nothing is offered", async () => {
  // Else every click would end in an error.
  status = away;
  show(<Zotero />);
  expect(await screen.findByText("No Zotero library was found.")).toBeTruthy();
  expect(screen.queryByRole("button")).toBeNull();
});

test("chosen papers are written to the collection that is named; where nothing can be written the reason is shown", async () => {
  // Else papers that nobody chose would be written, or the reason be seen only after a job failed.
  const { unmount } = show(<WriteButton papers={["p1"]} />);
  await userEvent.click(screen.getByRole("button", { name: "Write to Zotero" }));
  await userEvent.click(await screen.findByText("Reading/Grid"));
  expect(sent).toEqual([{ path: "/zotero/export", body: { collection: "Reading/Grid", papers: ["p1"] } }]);
  unmount();
  status = away;
  show(<WriteButton papers={["p1"]} />);
  await userEvent.click(screen.getByRole("button", { name: "Write to Zotero" }));
  expect(await screen.findByText("No Zotero allows it.")).toBeTruthy();
});

test("a conflict is shown with both values", async () => {
  // Else somebody could not decide, or would not know that nothing was written.
  const conflicts = [{ paper: "p1", item: "ITEM0001", field: "tags", ours: "old; ours", theirs: "old; theirs" }];
  events.push({ kind: "done", result: { zotero: "Zotero", collection: "New", made: 1, changed: 2, unchanged: 3, notes: 1, conflicts, failed: [["p2", "not valid"]] } });
  show(<ExportReport />, "/library?writing=job-1");
  expect(await screen.findByText("New: one item created, 2 changed, 3 unchanged, 1 note written.")).toBeTruthy();
  expect(screen.getByText("old; ours")).toBeTruthy();
  expect(screen.getByText("old; theirs")).toBeTruthy();
  expect(screen.getByText("not valid")).toBeTruthy();
  await waitFor(() => expect(screen.getByText("Grid cells")).toBeTruthy());
});
