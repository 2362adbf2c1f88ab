import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { api, Problem } from "../../api/client";
import { LanguageProvider } from "../../i18n";
import SettingsPage from ".";
import type { Row } from "./rows";

afterEach(() => vi.restoreAllMocks());

const row = (name: string, value: number): Row => ({ name, value, default: value, origin: "default", type: "a number, at least 0", doc: "Seconds", choices: [], fixed: "", ignored: "" });
const renderSettings = () => {
  vi.spyOn(api, "GET").mockResolvedValue({ data: { settings: [row("catalog.wait", 30), row("search.k", 10)] }, response: new Response() } as never);
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <LanguageProvider>
        <SettingsPage />
      </LanguageProvider>
    </QueryClientProvider>,
  );
};
const save = async (text: string) => {
  const field = await screen.findByRole("textbox", { name: "Wait for other processes that are writing" });
  await userEvent.clear(field);
  await userEvent.type(field, text);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  return field;
};

test("a value that is not taken is told at its field", async () => {
  // Else the page leads to the settings, where one is, and names a file that is as it was.
  renderSettings();
  const message = "'catalog.wait' cannot be -5: it must be a number, at least 0.";
  vi.spyOn(api, "PATCH").mockRejectedValue(new Problem(message, "It means: Seconds.", 400, "SettingsError"));
  const field = await save("-5");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent!.trim()).toBe(message);
  expect(field.getAttribute("aria-describedby")).toBe(alert.id);
  expect(within(alert).queryByRole("link")).toBeNull();
});

test("when one setting is saved the others stay on the page", async () => {
  // Else all but that one would be gone until the page is loaded again.
  renderSettings();
  vi.spyOn(api, "PATCH").mockResolvedValue({ data: { settings: [row("catalog.wait", 5)] }, response: new Response() } as never);
  await save("5");
  expect(await screen.findByDisplayValue("5")).toBeTruthy();
  expect(screen.getByRole("textbox", { name: "Papers per search" })).toBeTruthy();
});
