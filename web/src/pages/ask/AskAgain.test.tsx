import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import * as call from "../../api/call";
import { api } from "../../api/client";
import * as jobs from "../../api/jobs";
import { LanguageProvider } from "../../i18n";
import { AskAgain } from "./AskAgain";

afterEach(() => vi.restoreAllMocks());

test("once a model is connected, an open answer offers to ask it by its name", async () => {
  // Else the answer still offers to connect a model, and nobody knows what to do with the one that is there.
  vi.spyOn(api, "GET").mockResolvedValue({ data: { settings: [{ name: "language.model", value: "ollama:qwen3" }] }, response: new Response() } as never);
  vi.spyOn(call, "get").mockResolvedValue({ titles: { "ollama:qwen3": "qwen3 (Ollama)" } });
  const sent = vi.spyOn(jobs, "begin").mockResolvedValue("job-1");
  render(
    <QueryClientProvider client={new QueryClient()}>
      <LanguageProvider>
        <AskAgain answer="ans-1" />
      </LanguageProvider>
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Ask again with qwen3 (Ollama)" }));
  expect(sent).toHaveBeenCalledWith("/answers/ans-1/rerun");
});
