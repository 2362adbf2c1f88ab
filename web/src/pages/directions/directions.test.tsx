import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { LanguageProvider } from "../../i18n";
import DirectionsPage from ".";

const direction = (id: number, label: string, auc: number) => ({ id, label, terms: [label], auc, texts: 50, recurrence: 0.9, family: null });
const ANSWERS: Record<string, unknown> = {
  "/directions": { directions: [direction(4, "pain", 0.97), direction(5, "memory", 0.7)], trained: 300, hidden: 3 },
  "/directions/explain": {
    ...{ left: "On pain", right: "On memory", similarity: 0.5, shared: 0.3, rest: -0.01 },
    parts: [{ direction: direction(4, "pain", 0.97), value: 0.21, left: 1, right: 1 }],
  },
};

function renderPage(search: string, status = 200) {
  vi.stubGlobal("fetch", async (request: Request | string) => {
    const path = new URL(typeof request === "string" ? request : request.url, "http://x").pathname.replace("/api/v1", "");
    if (path === "/directions" && status !== 200) return Response.json({ detail: "The library has no directions.", hint: "", type: "NotFoundError" }, { status });
    return Response.json(ANSWERS[path] ?? { jobs: [], read_only: false });
  });
  const place = memoryLocation({ path: "/directions", searchPath: search, record: true });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>
        <Router hook={place.hook} searchHook={place.searchHook}>
            <DirectionsPage />
        </Router>
      </LanguageProvider>
    </QueryClientProvider>,
  );
  return place;
}

test("a label that does not fit well is marked, and a direction opens by its address", async () => {
  // Else a scientist would take a bad name for what the papers are about.
  const place = renderPage("");
  expect(await screen.findByText("unsure")).toBeTruthy();
  expect(screen.getAllByText("unsure")).toHaveLength(1);
  expect(screen.getByText(/3 more are hidden/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "pain" }));
  expect(place.history!.at(-1)).toContain("direction=4");
});

test("the parts of a similarity and its rest are shown with their sum", async () => {
  renderPage("view=why&paper=a&other=b");
  expect(await screen.findByRole("row", { name: /pain 0.210/ })).toBeTruthy();
  expect(screen.getByRole("row", { name: /What no direction explains -0.010/ })).toBeTruthy();
  expect(screen.getByRole("row", { name: /Similarity \(cosine\) 0.500/ })).toBeTruthy();
});

test("a library without directions offers to find them", async () => {
  renderPage("", 404);
  expect(await screen.findByRole("button", { name: "Find the directions" })).toBeTruthy();
});
