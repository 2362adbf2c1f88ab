import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { LanguageProvider } from "../../i18n";
import { readSearch, request } from "./searchState";
import { Steering, readTurns, formatTurns } from "./Steering";

test("how far a search is turned stands in its address, and comes back from it", () => {
  // Else a steered search could not be shared, and a slider would stand elsewhere than it was left.
  const search = readSearch(new URLSearchParams("q=memory&more=44:0.5&more=lensing&less=a:b:0.25"));
  expect(readTurns(search)).toEqual([
    { name: "44", weight: 0.5 },
    { name: "lensing", weight: 1 },
    { name: "a:b", weight: -0.25 },
  ]);
  expect(formatTurns(readTurns(search))).toEqual({ more: ["44:0.5", "lensing:1"], less: ["a:b:0.25"] });
  expect(request(search)).toMatchObject({ more: ["44:0.5", "lensing"], less: ["a:b:0.25"] });
});

test("a direction is chosen, turned away from, and dropped", async () => {
  const direction = { id: 4, label: "pain", terms: ["pain"], auc: 0.9, texts: 50, recurrence: 0.9, family: null };
  vi.stubGlobal("fetch", async (input: Request | string) => {
    const isBuilt = (typeof input === "string" ? input : input.url).endsWith("/built");
    return Response.json(
      isBuilt ? { maps: [], directions: ["papers"] } : { directions: [direction], matches: [], trained: 300, hidden: 0 },
    );
  });
  const changes: unknown[] = [];
  const page = (address: string) => (
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>
        <Steering search={readSearch(new URLSearchParams(address))} onChange={(to) => changes.push(to)} />
      </LanguageProvider>
    </QueryClientProvider>
  );
  const { rerender } = render(page("q=memory"));
  fireEvent.click(await screen.findByRole("button", { name: "pain" }));
  expect(changes.at(-1)).toEqual({ more: ["4:0.5"], less: [] });
  rerender(page("q=memory&more=4:0.5"));
  fireEvent.change(await screen.findByRole("slider", { name: /pain/ }), { target: { value: "-0.75" } });
  expect(changes.at(-1)).toEqual({ more: [], less: ["4:0.75"] });
  fireEvent.click(screen.getByRole("button", { name: /pain/ }));
  expect(changes.at(-1)).toEqual({ more: [], less: [] });
});
