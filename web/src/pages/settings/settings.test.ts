import { expect, test } from "vitest";
import { fitting, groups, isOfFile, type Row, typed } from "./rows";

const row = (name: string, value: Row["value"], origin = "default", doc = ""): Row => ({
  name,
  value,
  origin,
  default: value,
  type: "",
  doc,
  choices: [],
  fixed: "",
  ignored: "",
});

test("what was changed stands first, and words find names and meanings", () => {
  // Else somebody would look through 150 settings for the one that they changed.
  const rows = [row("search.k", 10), row("budget.cost", 1), row("search.mmr", 0.5, "conspectus.toml", "variety of results")];
  expect(groups(rows).map(([name]) => name)).toEqual(["search", "budget"]);
  expect(groups(rows)[0]?.[1].map((one) => one.name)).toEqual(["search.mmr", "search.k"]);
  expect(fitting(rows, "RESULTS variety").map((one) => one.name)).toEqual(["search.mmr"]);
});

test("what is typed is a number where a number is wanted, and nothing is no zero", () => {
  // Else an emptied field would set a limit to 0.
  expect(typed(row("search.k", 10), "20")).toBe(20);
  expect(typed(row("search.k", 10), " ")).toBeNull();
  expect(typed(row("search.k", 10), "many")).toBe("many");
  expect(typed(row("search.recency", false), "true")).toBe(true);
});

test("what a flag sets is not offered to be changed: the server would refuse it", () => {
  expect(isOfFile(row("search.k", 10))).toBe(true);
  expect(isOfFile(row("search.k", 10, "/papers/conspectus.toml"))).toBe(true);
  expect(isOfFile(row("search.k", 10, "flag"))).toBe(false);
});
