import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { FigureHit } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { queryStems } from "../../parts/marks";
import { FigureCard } from "./Card";
import { Cropper } from "./Cropper";
import { LargeFigure } from "./Large";

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
  shows: null,
  probability: 0,
  panels: [],
};
const card = (values = {}, more = {}) =>
  render(
    <LanguageProvider>
      <FigureCard
      hit={{ rank: 1, score: 0.5, factors: { caption: 0.5, mention: 0.5 }, figure: { ...figure, ...values }, ...more } as unknown as FigureHit}
      stems={queryStems("eels")}
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
  expect(screen.getByText(/file is missing/)).toBeTruthy();
  const unknown = card({ page: null, box: null });
  fireEvent.error(unknown.container.querySelector("img")!);
  expect(screen.getByText("no picture available")).toBeTruthy();
  fireEvent.click(screen.getAllByRole("button", { name: /Open Figure 2/ }).at(-1)!);
  expect(window.location.search).toContain("span=p.saaaaaaaa");
});

test("the panel that is like the picture is outlined and named", () => {
  const { container } = card({ shows: "plot", probability: 0.91 }, { panel: { label: "b", caption: "At dawn.", box: [0.5, 0, 1, 0.5] } });
  const outline = container.querySelector<HTMLElement>(".outline")!;
  expect([outline.style.left, outline.style.top, outline.style.width, outline.style.height]).toEqual(["50%", "0%", "50%", "50%"]);
  expect(screen.getByText("Similar panel: panel b")).toBeTruthy();
  expect(container.querySelector("img")?.alt).toBe("Figure 2: Eels at night.");
  expect(container.querySelector(".badge")?.textContent).toContain("Plot");
});

test("a panel that is chosen is what is looked for", () => {
  const panels = [{ label: "a", caption: "At dusk.", box: [0, 0, 0.5, 1] }, { label: "b", caption: "At dawn.", box: [0.5, 0, 1, 1] }];
  const crops: unknown[] = [];
  render(
    <LanguageProvider>
      <LargeFigure figure={{ ...figure, panels } as unknown as FigureHit["figure"]} crop={null} onClose={() => undefined} onLike={(crop) => crops.push(crop)} />
    </LanguageProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: /panel b/, hidden: true }));
  fireEvent.click(screen.getByRole("button", { name: "Find pictures similar to panel b", hidden: true }));
  fireEvent.click(screen.getByRole("button", { name: /^panel b/, hidden: true }));
  fireEvent.click(screen.getByRole("button", { name: "Similar figures", hidden: true }));
  expect(crops).toEqual([[0.5, 0, 0.5, 1], null]);
});

test("a crop is moved by keys, and told", () => {
  const crops: unknown[] = [];
  const crop = [0.25, 0.25, 0.5, 0.5] as [number, number, number, number];
  render(
    <LanguageProvider>
      <Cropper src="" alt="Eels" crop={crop} onChange={(crop) => crops.push(crop)} fallback={null} />
    </LanguageProvider>,
  );
  const frame = screen.getByRole("application", { name: /50 % by 50 %/ });
  for (const key of ["ArrowRight", "Delete", "x"]) fireEvent.keyDown(frame, { key });
  expect(crops).toEqual([[0.27, 0.25, 0.5, 0.5], null]);
});
