import { expect, test } from "vitest";
import { touched } from "./following";

const names = ["papers", "doctor", "history", "jobs", "pages", "search"];
const seen = (kind: string, verb: string) => names.filter(touched({ kind, verb }));

test("what happens elsewhere is looked at where it may show, and nowhere else", () => {
  // Else a table would stay as it was; or each file of a thousand would have the whole page asked for again.
  expect(seen("started", "add")).toEqual(["jobs"]);
  expect(seen("file", "add")).toEqual(["papers"]);
  expect(seen("done", "ask")).toEqual(["history", "jobs"]);
  expect(seen("done", "add")).toEqual(["papers", "history", "jobs", "pages", "search"]);
  expect(seen("reset", "")).toEqual(seen("changed", ""));
});
