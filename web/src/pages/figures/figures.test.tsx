import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { FigureHit } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { sought } from "../../parts/marks";
import { FigureCard } from "./Card";

const figure = {
  id: "p.faaaaaaaa",
  paper: { id: "p", title: "Eels", authors: [] },
  name: "f1",
  label: "Figure 2",
  caption: "Figure 2. Eels at night.",
  kind: "figure",
  page: 3,
  box: [0, 0, 1, 1],
  mentions: ["p.saaaaaaaa"],
};
const card = (values = {}) =>
  render(
    <LanguageProvider>
      <FigureCard
      hit={{ rank: 1, score: 0.5, factors: { caption: 0.5, mention: 0.5 }, figure: { ...figure, ...values } } as unknown as FigureHit}
      stems={sought("eels")}
      isRanked
      onView={() => undefined}
      onLike={() => undefined}
      />
    </LanguageProvider>,
  );

test("a figure's picture leads to its page", () => {
  const { container } = card();
  expect(container.querySelector("img")?.getAttribute("src")).toContain("/papers/p/figures/f1.png");
  expect(container.querySelector(".caption")?.textContent).toBe("Eels at night.");
  fireEvent.click(screen.getByRole("button", { name: /Open Figure 2/ }));
  expect(window.location.search).toContain("read=p&page=3");
});

test("one whose picture is gone, or not known, says so and leads to where the text speaks of it", () => {
  const { container } = card();
  fireEvent.error(container.querySelector("img")!);
  expect(screen.getByText(/file is gone/)).toBeTruthy();
  card({ page: null, box: null });
  fireEvent.click(screen.getAllByRole("button", { name: /Open Figure 2/ }).at(-1)!);
  expect(window.location.search).toContain("span=p.saaaaaaaa");
});
