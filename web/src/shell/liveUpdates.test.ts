import { expect, test } from "vitest";
import { affectedQueries } from "./liveUpdates";

const names = ["papers", "doctor", "history", "jobs", "pages", "search"];
const affectedNames = (kind: string, verb: string) => names.filter(affectedQueries({ kind, verb }));

test("what happens elsewhere is looked at where it may show, and nowhere else", () => {
  // Else a table would stay as it was; or each file of a thousand would have the whole page asked for again.
  expect(affectedNames("started", "add")).toEqual(["jobs"]);
  expect(affectedNames("file", "add")).toEqual(["papers"]);
  expect(affectedNames("done", "ask")).toEqual(["history", "jobs"]);
  expect(affectedNames("done", "add")).toEqual(["papers", "history", "jobs", "pages", "search"]);
  expect(affectedNames("reset", "")).toEqual(affectedNames("changed", ""));
});
