import { expect, test } from "vitest";
import { fill, type Translate } from "../../i18n";
import en from "../../i18n/en.json";
import { groupRows, labelOf } from "./groups";
import { filterRows, isOfFile, type Row, parseValue } from "./rows";

const t: Translate = (key, values) => fill(en[key], values);

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

test("settings are in the group where people look for them; what was changed is never folded, and words find all", () => {
  // Else somebody would look through 150 settings for the one that they changed.
  const rows = [row("search.k", 10), row("budget.cost", 1), row("search.mmr", 0.5, "conspectus.toml", "variety of results"), row("search.half_life", 5), row("new.kind", 1)];
  const groups = groupRows(rows).filter((group) => group.rows.length || group.advanced.length);
  expect(groups.map(({ name, rows: basic, advanced }) => [name, basic.map((row) => row.name), advanced.map((row) => row.name)])).toEqual([
    ["models", ["budget.cost"], []],
    ["answers", ["search.k", "search.mmr"], ["search.half_life"]],
    ["server", [], ["new.kind"]],
  ]);
  expect(labelOf(rows[0]!)).toBe("setting.search.k");
  expect(filterRows(rows, "RESULTS variety", t).map((row) => row.name)).toEqual(["search.mmr"]);
  expect(filterRows(rows, "papers per search", t).map((row) => row.name)).toEqual(["search.k"]);
});

test("what is typed is a number where a number is wanted, and nothing is no zero", () => {
  // Else an emptied field would set a limit to 0.
  expect(parseValue(row("search.k", 10), "20")).toBe(20);
  expect(parseValue(row("search.k", 10), " ")).toBeNull();
  expect(parseValue(row("search.k", 10), "many")).toBe("many");
  expect(parseValue(row("search.recency", false), "true")).toBe(true);
});

test("what a flag sets is not offered to be changed: the server would refuse it", () => {
  expect(isOfFile(row("search.k", 10))).toBe(true);
  expect(isOfFile(row("search.k", 10, "/papers/conspectus.toml"))).toBe(true);
  expect(isOfFile(row("search.k", 10, "flag"))).toBe(false);
});
