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
const typed = (text: string) => {
  const { container, unmount } = render(
    <LanguageProvider>
      <Remedy text={text} />
    </LanguageProvider>,
  );
  const found = [[...container.querySelectorAll("code")].map((one) => one.textContent), !!container.querySelector(".badge")];
  unmount();
  return found;
};

test("a remedy of the command line is shown as one", () => {
  // Else somebody looks on the page for `--model`.
  expect(typed("Restore an earlier backup: conspectus restore FILE --replace")).toEqual([["conspectus restore FILE --replace"], true]);
  expect(typed("Name one with --model, or set language.model.")).toEqual([["--model"], true]);
  expect(typed("`conspectus status` says why. A well-known case.")).toEqual([["conspectus status"], true]);
  expect(typed("Open the link that `conspectus serve` prints.")).toEqual([["conspectus serve"], false]);
  expect(typed("Add the paper's files again.")).toEqual([[], false]);
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
