import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, test, vi } from "vitest";
import { Problem } from "../../api/client";
import type { Found } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { asked } from "./asked";
import { Slip, Told } from "./Told";

const shown = (what: ReactNode) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>{what}</LanguageProvider>
    </QueryClientProvider>,
  ).container;
const one = (search: string) => asked(new URLSearchParams(search));
const found = (more: Partial<Found>) => ({ spelling: [], note: "", expansions: [], conditions: "", hits: [], ...more }) as unknown as Found;

test("what was searched for instead, and what no paper has, is each told once, and nothing else of the note is lost", async () => {
  // Else a misspelt word is told twice, in two languages, or a note of the server goes with it.
  const change = vi.fn();
  const spelling = [{ word: "plcae", likely: "place" }, { word: "zzyzx", likely: "" }];
  const note = "No paper has 'plcae': 'place' was searched for instead. No paper has 'zzyzx'. The index is behind.";
  const told = shown(<Told one={one("q=plcae+zzyzx+cells")} found={found({ spelling, note } as never)} onChange={change} />);
  expect(told.textContent!.match(/plcae/g)).toHaveLength(1);
  expect(told.textContent!.match(/zzyzx/g)).toHaveLength(2); // once as missing, once in the query that is offered
  expect(told.textContent).toContain("The index is behind.");
  await userEvent.click(screen.getByRole("button"));
  expect(change).toHaveBeenCalledWith({ q: "place zzyzx cells" });
});

test("a kind of question that this page does not know is not told as a key", () => {
  // Else a newer server's word stands on the page as `search.question.…`.
  const told = (kind: string) => shown(<Told one={one("q=x")} found={found({ routing: { kind } } as never)} onChange={() => {}} />).textContent;
  expect(told("consensus")).toContain("whether");
  expect(told("brand-new")).toBe("");
});

test("a query that is not understood shows the place, and both ways out", async () => {
  // Else somebody who wrote `autor:` has to find out what is wrong alone.
  const change = vi.fn();
  const error = new Problem("There is no field 'autor'.\n  autor:hafting grid\n  ^", "Did you mean author:…? With `plain=True` all signs are text.", 400, "UsageError");
  const slip = shown(<Slip error={error} one={one("q=autor:hafting+grid")} onChange={change} onRetry={() => {}} />);
  expect(slip.textContent).not.toContain("plain");
  await userEvent.click(screen.getByRole("button", { name: /author:/ }));
  expect(change).toHaveBeenLastCalledWith({ q: "author:hafting grid" });
  await userEvent.click(screen.getByRole("button", { name: "Search for it as text" }));
  expect(change).toHaveBeenLastCalledWith({ plain: true });
});
