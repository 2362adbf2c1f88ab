import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { LanguageProvider } from "../../i18n";
import { Subjects } from "./Subjects";

test("before any vocabulary is there, subjects and their pairs lead to a search", () => {
  // Else a newcomer sees an empty page with a list of downloads.
  const overview = { schema: "conspectus.subjects-together/1" as const, vocabulary: "nifstd", subjects: [{ subject: "grid cells", papers: 4, neighbours: [{ value: "place cells", papers: 2 }] }] };
  render(
    <LanguageProvider>
      <Subjects overview={overview} />
    </LanguageProvider>,
  );
  expect(screen.getByRole("link", { name: "grid cells" }).getAttribute("href")).toBe("/search?q=%22grid+cells%22");
  expect(screen.getByRole("link", { name: "grid cells and place cells: 2 papers" }).getAttribute("href")).toBe("/search?q=%22grid+cells%22+%22place+cells%22");
});
