import { expect, test } from "vitest";
import type { Classification, StoredReview, ReviewTable } from "../../api/types";
import { commandPlace } from "../../parts/verbs";
import { categoriesOf, NONE, readCategories, tomlOf, withCategory, writeCategories } from "./classify/categories";
import { barOf, ringOf } from "./rank/ranking";
import { chooseReview, kindAt, pathOf, remarksOf } from "./reviews";
import { criteriaOf, readReasons, tomlOf as tomlOfCriteria, writeReasons } from "./screen/screening";
import { columnsText, kindOf, nextSort, requestOf, sortOf } from "./table/rows";
import { changeSelection, whichOf } from "./Which";

const makeReview = (id: string, updated: string, spec = {}) => ({ id, updated, name: id, kind: "table", papers: 1, made: updated, spec }) as unknown as StoredReview;

test("the address names the kind and the review; without a name it is the one that was changed last", () => {
  // A link would show another review than the one that was shared.
  expect([kindAt("/review/table"), kindAt("/review"), kindAt("/review/nothing")]).toEqual(["table", "rank", "rank"]);
  const all = [makeReview("a", "2026-03"), makeReview("b", "2026-05"), makeReview("c", "2026-04")];
  expect(chooseReview(all, "c")?.id).toBe("c");
  expect(chooseReview(all, "gone")?.id).toBe("b");
  expect(chooseReview([], null)).toBeUndefined();
  expect(pathOf("table", "rev/1", "/cells")).toBe("/reviews/tables/rev%2F1/cells");
});

test("what a run says at its end is said once, and nothing where it went well", () => {
  // A budget that ran out would go unnoticed.
  expect(remarksOf({ stopped: "The budget ran out.", notes: ["A note."] })).toEqual(["The budget ran out.", "A note."]);
  expect(remarksOf({ stopped: "", notes: [] })).toEqual([]);
});

test("filters that say nothing are not sent", () => {
  // An empty collection would stand for no paper.
  expect(changeSelection({ collection: ["x"], year: "2001.." }, { collection: [] })).toEqual({ year: "2001.." });
  expect(changeSelection({ full_text: true }, { full_text: false, year: "" })).toEqual({});
});

test("what is begun again is of the papers that were chosen", () => {
  // Without its filters a review of one collection would take in the whole library.
  const begun = (filters: object) => whichOf(makeReview("r", "2026", { filters }));
  expect(begun({ year: [2005, null], collection: ["c1"], venue: ["Nature"], author: [], full_text: null })).toEqual({ year: "2005..", collection: ["c1"], venue: ["Nature"] });
  expect(begun({ year: null })).toEqual({});
  expect(whichOf()).toEqual({});
});

test("columns keep their types when a table is read on, and a header sorts three ways", () => {
  // Read on with other types, the table would get new columns.
  const columns = [
    { name: "material", kind: "text", unit: "", choices: [] },
    { name: "dose", kind: "number", unit: "mg", choices: [] },
    { name: "design", kind: "choice", unit: "", choices: ["trial", "cohort"] },
    { name: "blinded", kind: "yes/no", unit: "", choices: [] },
  ] as ReviewTable["columns"];
  expect(columnsText(columns)).toBe("material (text); dose (number, mg); design (choice: trial|cohort); blinded (yes/no)");
  expect(columns.map(kindOf)).toEqual(["", "number, mg", "trial | cohort", "yes/no"]);
  expect(["", "dose", "-dose", "age"].map((sort) => nextSort(sort, "dose"))).toEqual(["dose", "-dose", "", "dose"]);
  expect([sortOf("dose", "dose"), sortOf("-dose", "dose"), sortOf("age", "dose")]).toEqual(["ascending", "descending", undefined]);
  expect(requestOf(new URLSearchParams("sort=-dose&where=dose+%3E+5+mg&where=age+is+unread&offset=100"))).toEqual({
    sort: "-dose",
    where: ["dose > 5 mg", "age is unread"],
    offset: 100,
  });
});

test("categories and criteria that are typed come back as they were, whatever is in them", () => {
  // A quote in a description would break the file that the server reads.
  const typed = 'Stars: the "Sun": and others\nPlanets';
  const categories = readCategories(typed);
  expect(categories).toEqual([{ name: "Stars", description: 'the "Sun": and others' }, { name: "Planets", description: "" }]);
  expect(writeCategories(categories)).toBe(typed);
  expect(tomlOf(categories)).toBe('[categories]\n"Stars" = "the \\"Sun\\": and others"\n"Planets" = ""');
  expect(categoriesOf(makeReview("a", "", { categories: [{ name: "Stars" }] }))).toEqual([{ name: "Stars", description: "" }]);
  const reasons = readReasons("no trial: reviews\n\nother \\ population");
  expect(writeReasons(reasons)).toBe("no trial: reviews\nother \\ population");
  const toml = tomlOfCriteria({ ...criteriaOf(undefined), question: "Why?", include: ["Adults"], exclude: reasons });
  expect(toml.split("\n")).toEqual(['question = "Why?"', 'include = ["Adults"]', "reviewers = 1", 'decides = ""', "[exclude]", '"no trial" = "reviews"', '"other \\\\ population" = ""']);
});

test("a category narrows the list, and so does none", () => {
  // Papers that no category fits could not be found.
  const paper = (id: string, ...names: string[]) => ({ paper: { id }, categories: names.map((name) => ({ name })) }) as unknown as Classification["papers"][number];
  const all = [paper("a", "Stars"), paper("b"), paper("c", "Planets", "Stars")];
  const ids = (name: string) => withCategory(all, name).map((row) => row.paper.id);
  expect([ids(""), ids("Stars"), ids(NONE)]).toEqual([["a", "b", "c"], ["a", "c"], ["b"]]);
});

test("the bar of a rank reaches from its best to its worst one", () => {
  // A ranking would look surer than it is.
  expect(barOf({ rank: 3, low: 1, high: 5 }, 5)).toEqual({ from: 0, width: 100, at: 50 });
  expect(barOf({ rank: 1, low: null, high: null }, 5)).toEqual({ from: 0, width: 0, at: 0 });
  expect(barOf({ rank: 1, low: 1, high: 1 }, 1)).toEqual({ from: 0, width: 0, at: 0 });
  expect(ringOf(["a", "b"], (id) => id.toUpperCase())).toEqual(["A", "B", "A"]);
});

test("remedies lead to the tab that they name", () => {
  // "Choose another name, or `review table add` to it" would be a command that nobody can type here.
  expect(commandPlace("review table add")).toMatchObject({ path: "/review/table" });
  expect(commandPlace("review delete")).toMatchObject({ path: "/review" });
});
