import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Problem } from "../api/client";
import { LanguageProvider } from "../i18n";
import { Remedy } from "./Remedy";
import { Trouble } from "./Trouble";

const shown = (error: Error) =>
  render(
    <LanguageProvider>
      <Trouble error={error} />
    </LanguageProvider>,
  ).container;
function remedy(text: string) {
  const { container, unmount } = render(
    <LanguageProvider>
      <Remedy text={text} />
    </LanguageProvider>,
  );
  const links = [...container.querySelectorAll("a")].map((one) => one.getAttribute("href"));
  const found = { said: container.textContent!.trim(), links, isTyped: !!container.querySelector(".badge") };
  unmount();
  return found;
}

test("a remedy leads to where the page has it, or says that it is typed on the command line", () => {
  // Else somebody looks on the page for `restore FILE replace=True`, or in a terminal for a button.
  expect(remedy("The index cannot be read: `reindex`")).toMatchObject({ links: ["/library/health"], isTyped: false });
  expect(remedy("Restore an earlier backup: `restore FILE replace=True`")).toEqual({
    said: "On the command line Restore an earlier backup: conspectus restore FILE --replace",
    links: [],
    isTyped: true,
  });
  expect(remedy("Name one with `model=NAME`, or set language.model.")).toEqual({ said: "Name one with model=NAME, or set language.model.", links: [], isTyped: false });
  expect(remedy("Open the link that `conspectus serve` prints.")).toMatchObject({ said: "Open the link that conspectus serve prints.", isTyped: false });
});

test("what can be mended on a page leads there", () => {
  // Else the remedy is a riddle, though it is one click away.
  shown(new Problem("The budget is used up.", "Raise budget.tokens.", 429, "BudgetError"));
  expect(screen.getByRole("link").getAttribute("href")).toBe("/settings?q=budget");
});

test("what the page itself found is told in the page's words", () => {
  // Else a German reader is told in English that the server is away.
  expect(shown(Problem.own("Away")).textContent).toContain("The server cannot be reached.");
  expect(shown(Problem.from(502, "Bad Gateway", "<html>")).textContent).toContain("such as a proxy");
});
