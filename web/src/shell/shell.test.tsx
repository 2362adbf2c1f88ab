import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { reach } from "../api/client";
import { LanguageProvider } from "../i18n";
import { ConnectionBanner } from "./Banner";
import { groupBindings, pressedFor } from "./KeySheet";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a lost connection is told, and the word goes when the server is back", async () => {
  // Else the page would stand still without a reason, or say "lost" for ever.
  vi.useFakeTimers();
  const answer = vi.fn<() => Promise<Response>>().mockRejectedValue(new TypeError("Failed to fetch"));
  vi.stubGlobal("fetch", answer);
  const queries = new QueryClient();
  const anew = vi.spyOn(queries, "invalidateQueries");
  render(
    <QueryClientProvider client={queries}>
      <LanguageProvider>
        <ConnectionBanner />
      </LanguageProvider>
    </QueryClientProvider>,
  );
  await act(async () => {
    await expect(reach("/api/v1/jobs")).rejects.toMatchObject({ kind: "Away", retry: true });
  });
  expect(screen.getByText("Connection lost.")).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(5000));
  expect(screen.getByText("Connection lost.")).toBeTruthy();
  answer.mockResolvedValue(new Response("{}"));
  await act(() => vi.advanceTimersByTimeAsync(2500));
  expect(screen.queryByText("Connection lost.")).toBeNull();
  expect(anew).toHaveBeenCalledOnce();
});

test("a server that the page has ended is not lost", async () => {
  // Else "Connection lost" would frighten whoever has just quit.
  vi.resetModules();
  const { reportConnection, useConnection } = await import("../api/connection");
  const Now = () => <p>{useConnection()}</p>;
  render(<Now />);
  act(() => reportConnection("ended"));
  act(() => reportConnection("lost"));
  expect(screen.getByText("ended")).toBeTruthy();
});

test("a request that was given up is no lost connection", async () => {
  // Else each change of a search while it runs would say that the server is away.
  vi.stubGlobal("fetch", () => Promise.reject(new DOMException("given up", "AbortError")));
  await expect(reach("/api/v1/search")).rejects.toMatchObject({ name: "AbortError" });
});

test("keys are listed by where they belong, each once", () => {
  // Else one would look for a key among fifty, or find it twice.
  const run = () => {};
  const bindings = [
    { keys: "g a", does: "page.ask" as const, run },
    { keys: "Escape", does: "reader.close" as const, run },
    { keys: "?", does: "keys.sheet" as const, run },
    { keys: "?", does: "keys.sheet" as const, run },
  ];
  const rows = Object.fromEntries(groupBindings(bindings).map(([name, members]) => [name, members.length]));
  expect(rows).toEqual({ "keys.page": 0, "keys.reader": 1, "keys.go": 1, "keys.always": 1 });
  expect(pressedFor("Shift+Enter")).toEqual([["Shift", "↵"]]);
  expect(pressedFor("g a")).toEqual([["g"], ["a"]]);
});
