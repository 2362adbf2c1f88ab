import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { Problem } from "../api/client";
import { LanguageProvider } from "../i18n";
import { usePaper } from "./paper";
import { ReaderPane } from "./ReaderPane";

vi.mock("./paper", async (original) => ({ ...(await original<object>()), usePaper: vi.fn() }));
const paperMock = vi.mocked(usePaper);
beforeEach(() => window.history.replaceState(null, "", "/search?q=memory&read=nonexist"));

const renderPane = () =>
  render(
    <LanguageProvider>
      <ReaderPane />
    </LanguageProvider>,
  );
const closeReader = async () => {
  await userEvent.click(screen.getByRole("button", { name: "Close the reader" }));
  expect(screen.queryByRole("complementary")).toBeNull();
  expect(window.location.search).toBe("?q=memory");
};

test("the reader of a paper that there is not can be closed", async () => {
  // Else, on a phone, what was searched for would be behind it for good.
  const error = new Problem("There is no paper 'nonexist'.", "", 404, "NotFoundError");
  paperMock.mockReturnValue({ error, data: undefined, isPending: false } as never);
  renderPane();
  expect((await screen.findByRole("alert")).textContent).toContain("There is no paper");
  await closeReader();
});

test("the reader of a paper that does not come can be closed", async () => {
  // Else one would wait for a server that does not answer.
  paperMock.mockReturnValue({ error: null, data: undefined, isPending: true } as never);
  renderPane();
  await screen.findByText("Loading …");
  await closeReader();
});
