import { expect, test } from "vitest";
import { chartRows, formatFigure, sum, type Totals, defaultMeasure } from "./sums";

const row = (name: string, cost: number, tokens = 10): Totals => ({
  name,
  calls: 2,
  from_cache: 0,
  failed: 0,
  prompt_tokens: tokens,
  cached_tokens: 0,
  completion_tokens: 1,
  unpriced: 0,
  cost,
  saved: 0,
  seconds: 1.5,
});

test("days stand in their order, what else took most stands first", () => {
  // Else a chart would show days shuffled, or leave out what costs most.
  const rows = [row("2026-01-02", 5), row("2026-01-01", 1)];
  expect(chartRows(rows, "day", "cost").map((row) => row.name)).toEqual(["2026-01-01", "2026-01-02"]);
  expect(chartRows([row("a", 1), row("b", 5)], "model", "cost").map((row) => row.name)).toEqual(["b", "a"]);
});

test("a small cost is not shown as none", () => {
  // Else somebody would think that what they ask is free.
  expect(formatFigure(0.0012, "cost")).toContain("0.0012");
  expect(defaultMeasure([row("a", 0)])).toBe("tokens");
  expect(sum([row("a", 1), row("b", 2)], "tokens")).toBe(22);
});
