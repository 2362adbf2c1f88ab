/** What language models took, added up and scaled for a chart. */
import type { components } from "../../api/schema";
import { number } from "../../i18n";

export type Totals = components["schemas"]["Totals"];
export const WAYS = ["day", "model", "role", "prompt", "answer"] as const;
export type By = (typeof WAYS)[number];
export const MEASURES = ["cost", "tokens", "calls", "seconds"] as const;
export type Measure = (typeof MEASURES)[number];

export const amount = (row: Totals, measure: Measure): number =>
  measure === "tokens" ? row.prompt_tokens + row.completion_tokens : row[measure];

export const sum = (rows: readonly Totals[], measure: Measure) => rows.reduce((all, row) => all + amount(row, measure), 0);

/** What a measure is shown by at first: cost, where any is known. */
export const defaultMeasure = (rows: readonly Totals[]): Measure => (sum(rows, "cost") > 0 ? "cost" : "tokens");

/** A figure as it is printed; dollars with as many digits as a small one needs. */
export function formatFigure(value: number, measure: Measure): string {
  if (measure === "cost")
    return number(value, {
      style: "currency",
      currency: "USD",
      maximumFractionDigits: value > 0 && value < 0.1 ? 4 : 2,
    });
  if (measure === "seconds") return `${number(value, { maximumFractionDigits: 1 })} s`;
  return number(value);
}

/** The rows a chart has room for: days in their order, the latest; else those that took most. */
export function chartRows(rows: readonly Totals[], by: By, measure: Measure, most = 30): Totals[] {
  if (by === "day") return [...rows].sort((a, b) => a.name.localeCompare(b.name)).slice(-most);
  return [...rows].sort((a, b) => amount(b, measure) - amount(a, measure)).slice(0, Math.min(most, 12));
}
