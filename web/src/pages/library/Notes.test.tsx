import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Note, Paper } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { Confirmation } from "../../parts/confirm";
import { EditForm } from "./EditForm";
import { Notes } from "./Notes";
import { RemovedPapers } from "./RemovedPapers";

const requests: { method: string; path: string; body: unknown }[] = [];
let answer: (method: string, path: string) => Response;
beforeEach(() => {
  requests.length = 0;
  localStorage.clear();
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  answer = () => new Response("{}");
  vi.stubGlobal("fetch", async (input: Request | string, how: RequestInit = {}) => {
    const { method, path } = typeof input === "string" ? { method: how.method ?? "GET", path: input } : { method: input.method, path: new URL(input.url).pathname };
    if (method !== "GET") requests.push({ method, path, body: JSON.parse((how.body as string | undefined) ?? "null") });
    return answer(method, path);
  });
});
afterEach(() => vi.unstubAllGlobals());

const show = (what: ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <LanguageProvider>
        {what}
        <Confirmation />
      </LanguageProvider>
    </QueryClientProvider>,
  );
const notes = [{ id: "not-1", text: "Old words.", paper: "p", made: "", updated: "2026-01-01T00:00:00Z" }] as unknown as Note[];
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const field = (name: string) => screen.getByRole<HTMLTextAreaElement>("textbox", { name });

test("what is written stays when the dialog is closed, and a note that is edited takes nothing from it", async () => {
  // Else Escape, or "Edit" beside another note, costs half an hour's words.
  show(<Notes paper="p" notes={notes} />);
  await userEvent.type(field("Write a note"), "New words.");
  await press("Edit");
  await userEvent.type(field("Edit the note"), " And more.");
  cleanup(); // Escape
  show(<Notes paper="p" notes={notes} />);
  expect(field("Write a note").value).toBe("New words.");
  expect(field("Edit the note").value).toBe("Old words. And more.");
  await userEvent.click(screen.getAllByRole("button", { name: "Discard" })[0]!);
  expect(screen.queryByRole("textbox", { name: "Edit the note" })).toBeNull();
  expect(field("Write a note").value).toBe("New words.");
});

test("a draft goes when it is saved, and stays when that fails", async () => {
  // Else a lost connection costs the note; or it is there twice.
  show(<Notes paper="p" notes={[]} />);
  await userEvent.type(field("Write a note"), "Words.");
  answer = () => new Response("{}", { status: 500 });
  await press("Save");
  await waitFor(() => expect(requests.length).toBe(1));
  expect(field("Write a note").value).toBe("Words.");
  answer = () => new Response("{}");
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Save" }).disabled).toBe(false));
  await press("Save");
  await waitFor(() => expect(field("Write a note").value).toBe(""));
  expect(requests[1]).toEqual({ method: "POST", path: "/api/v1/notes", body: { paper: "p", text: "Words." } });
  cleanup();
  show(<Notes paper="p" notes={[]} />);
  expect(field("Write a note").value).toBe("");
});

test("a note is removed when that was confirmed, not by one slip", async () => {
  show(<Notes paper="p" notes={notes} />);
  await press("Remove");
  await press("Cancel");
  expect(requests).toEqual([]);
  await press("Remove");
  await userEvent.click(screen.getAllByRole("button", { name: "Remove" }).at(-1)!);
  await waitFor(() => expect(requests.map((request) => `${request.method} ${request.path}`)).toEqual(["DELETE /api/v1/notes/not-1"]));
});

test("metadata that were typed by hand stay until they are saved or dropped", async () => {
  // Else Escape costs a retyped abstract.
  const paper = { id: "p", title: "A title", authors: [], keywords: [] } as unknown as Paper;
  show(<EditForm paper={paper} edits={[]} onDone={() => {}} />);
  await userEvent.type(field("Title"), " of mine");
  cleanup();
  show(<EditForm paper={{ ...paper, venue: "Nature" }} edits={[]} onDone={() => {}} />);
  expect(field("Title").value).toBe("A title of mine");
  expect(field("Journal or conference").value).toBe("Nature"); // what was not touched follows the paper
  await press("Discard");
  expect(localStorage.length).toBe(0);
});

test("what was removed is offered after a reload, each by itself and all at once", async () => {
  // Else the way back is gone with the message, or with the tab.
  const removal = (id: string) => ({ id, paper: `p${id}`, title: `Paper ${id}`, made: "2026-01-01T00:00:00Z" });
  answer = (method) => new Response(JSON.stringify(method === "GET" ? { removals: [removal("2"), removal("1")] } : {}));
  show(<RemovedPapers />);
  await userEvent.click(await screen.findByRole("button", { name: /Removed/ }));
  await press("Restore “Paper 1”");
  await waitFor(() => expect(requests.map((request) => request.path)).toEqual(["/api/v1/removals/1/undo"]));
  await waitFor(() => expect(screen.getByRole<HTMLButtonElement>("button", { name: "Restore all 2" }).disabled).toBe(false));
  await press("Restore all 2");
  await waitFor(() => expect(requests.map((request) => request.path).slice(1)).toEqual(["/api/v1/removals/2/undo", "/api/v1/removals/1/undo"]));
});
