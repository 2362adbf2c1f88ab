import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Problem } from "../api/client";
import { LanguageProvider } from "../i18n";
import { Remedy } from "./Remedy";
import { Trouble } from "./Trouble";

const renderTrouble = (error: Error) =>
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
  const links = [...container.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  const result = { text: container.textContent!.trim(), links, isTyped: !!container.querySelector(".badge") };
  unmount();
  return result;
}

test("a remedy leads to where the page has it, or says that it is typed on the command line", () => {
  // Else somebody looks on the page for `library restore FILE replace=True`, or in a terminal for a button.
  expect(remedy("The index cannot be read: `library reindex`")).toMatchObject({ links: ["/library/health"], isTyped: false });
  expect(remedy("Restore an earlier backup: `library restore FILE replace=True`")).toEqual({
    text: "Restore an earlier backup: On the command line conspectus library restore FILE --replace",
    links: [],
    isTyped: true,
  });
  expect(remedy("Open the link that `conspectus serve` prints.")).toMatchObject({ text: "Open the link that conspectus serve prints.", isTyped: false });
});

test("what a remedy leads to has the page's name, and what is typed the terminal's", () => {
  // Else somebody types `retry everything=True` or `figures encode`, which are the names of Python.
  const failed = remedy("`status failed=True` says why. Mend them, then: `retry everything=True`; or: `forget FILE`");
  expect(failed.text).toBe("Files says why. Mend them, then: Retry all failed files; or: On the command line conspectus forget FILE");
  expect(failed.links).toEqual(["/library/files", "/library/files"]);
  expect(remedy("`graph link` finds them, `vocabulary list` shows by which; `vocabulary add` adds one.")).toMatchObject({
    text: "Graph finds them, On the command line conspectus vocabulary list shows by which;  conspectus vocabulary add adds one.",
    links: ["/graph"],
  });
  expect(remedy("See `conspectus config`, `eval graph own_set=True`, `toString`.").text).toBe(
    "See Settings, On the command line conspectus eval graph --own-set, toString.",
  );
});

test("settings and options are called as the page calls them", () => {
  // Else somebody who has never seen a terminal is told to set parse.ocr.
  expect(remedy("To have its text recognised (OCR): set parse.ocr to auto, then `retry everything=True`.")).toEqual({
    text: "To have its text recognised (OCR): set Recognise text in scans to auto, then Retry all failed files.",
    links: ["/settings?q=parse.ocr", "/library/files"],
    isTyped: false,
  });
  expect(remedy("Name one with `model=NAME`, or set language.model.")).toEqual({
    text: "Name one with Language model, or set Language model.",
    links: ["/settings?q=language.model"],
    isTyped: false,
  });
  expect(remedy("Another wording, or `depth=thorough`.").text).toBe("Another wording, or Depth: Thorough.");
  expect(remedy("Set `models.encoder`.").links).toEqual(["/settings?q=models.encoder"]);
  expect(remedy("'a.parse.ocr' and notes.example.org are none, nor is e.g. this.").links).toEqual([]);
});

test("what can be mended on a page leads there", () => {
  // Else the remedy is a riddle, though it is one click away.
  renderTrouble(new Problem("The budget is used up.", "Raise budget.tokens.", 429, "BudgetError"));
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/settings?q=budget.tokens", "/settings?q=budget"]);
});

test("what the page itself found is told in the page's words", () => {
  // Else a German reader is told in English that the server is away.
  expect(renderTrouble(Problem.ofKind("Away")).textContent).toContain("The server cannot be reached.");
  expect(renderTrouble(Problem.from(502, "Bad Gateway", "<html>")).textContent).toContain("such as a proxy");
});

test("a fault of the program is said to be one, and that nothing was lost", () => {
  // Else a scientist is sent to the server's output, and fears for the library.
  const text = renderTrouble(new Problem("Something went wrong that should not have.", "The server's output says what.", 500, "UnexpectedError")).textContent;
  expect(text).toContain("This is a fault of the program, not yours, and nothing in your library was lost.");
  expect(text).not.toContain("output");
});
