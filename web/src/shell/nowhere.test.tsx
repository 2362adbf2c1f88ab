import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { Router } from "wouter";
import { memoryLocation } from "wouter/memory-location";
import { LanguageProvider } from "../i18n";
import { Shell } from "./Shell";

afterEach(() => vi.unstubAllGlobals());

test("an address that is no page's says so, and leads on", async () => {
  // Else an old or mistyped link shows an empty page.
  vi.stubGlobal("fetch", async () => new Response("{}"));
  vi.stubGlobal("EventSource", class extends EventTarget {
    close() {}
  });
  const place = memoryLocation({ path: "/serach/x" });
  render(
    <Router hook={place.hook} searchHook={place.searchHook}>
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <LanguageProvider>
          <Shell />
        </LanguageProvider>
      </QueryClientProvider>
    </Router>,
  );
  const main = within(screen.getByRole("main"));
  expect(main.getByRole("heading", { level: 1 }).textContent).toBe("Page not found");
  expect(main.getByText(/\/serach\/x/)).toBeTruthy();
  expect(main.getByRole("link", { name: "Explore" }).getAttribute("href")).toBe("/search");
});
