import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { Problem } from "../../api/client";
import type { SearchResult } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { readSearch } from "./searchState";
import { QueryError, SearchNotes } from "./SearchNotes";

const show = (what: ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>{what}</LanguageProvider>
    </QueryClientProvider>,
  ).container;
const searchFrom = (search: string) => readSearch(new URLSearchParams(search));
const resultsWith = (more: Partial<SearchResult>) => ({ spelling: [], note: "", expansions: [], conditions: "", hits: [], ...more }) as unknown as SearchResult;

test("what was searched for instead, and what no paper has, is each told once, and nothing else of the note is lost", async () => {
  // Else a misspelt word is told twice, in two languages, or a note of the server goes with it.
  const change = vi.fn();
  const spelling = [{ word: "plcae", likely: "place" }, { word: "zzyzx", likely: "" }];
  const note = "No paper has 'plcae': 'place' was searched for instead. No paper has 'zzyzx'. The index is behind.";
  const container = show(<SearchNotes search={searchFrom("q=plcae+zzyzx+cells")} results={resultsWith({ spelling, note } as never)} onChange={change} />);
  expect(container.textContent!.match(/plcae/g)).toHaveLength(1);
  expect(container.textContent!.match(/zzyzx/g)).toHaveLength(2); // once as missing, once in the query that is offered
  expect(container.textContent).toContain("The index is behind.");
  await userEvent.click(screen.getByRole("button"));
  expect(change).toHaveBeenCalledWith({ q: "place zzyzx cells" });
});

test("a kind of question that this page does not know is not told as a key", () => {
  // Else a newer server's word stands on the page as `search.question.…`.
  const textFor = (kind: string) => show(<SearchNotes search={searchFrom("q=x")} results={resultsWith({ routing: { kind } } as never)} onChange={() => {}} />).textContent;
  expect(textFor("consensus")).toContain("whether");
  expect(textFor("brand-new")).toBe("");
});

test("a query that is not understood shows the place, and both ways out", async () => {
  // Else somebody who wrote `autor:` has to find out what is wrong alone.
  const change = vi.fn();
  const error = new Problem("There is no field 'autor'.\n  autor:hafting grid\n  ^", "Did you mean author:…? With `plain=True` all signs are text.", 400, "UsageError");
  const slip = show(<QueryError error={error} search={searchFrom("q=autor:hafting+grid")} onChange={change} onRetry={() => {}} />);
  expect(slip.textContent).not.toContain("plain");
  await userEvent.click(screen.getByRole("button", { name: /author:/ }));
  expect(change).toHaveBeenLastCalledWith({ q: "author:hafting grid" });
  await userEvent.click(screen.getByRole("button", { name: "Search for it as text" }));
  expect(change).toHaveBeenLastCalledWith({ plain: true });
});
