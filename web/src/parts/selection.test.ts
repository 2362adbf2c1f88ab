import { expect, test } from "vitest";
import { toggled } from "./selection";

const ids = ["a", "b", "c", "d"];

test("with Shift all between become as the one clicked becomes", () => {
  // Else choosing forty papers takes forty clicks.
  expect([...toggled(new Set(["a"]), "c", ids, "a")]).toEqual(["a", "b", "c"]);
  expect([...toggled(new Set(["a", "b", "c", "d"]), "b", ids, "d")]).toEqual(["a"]);
  expect([...toggled(new Set(["x"]), "b", ids)]).toEqual(["x", "b"]);
  expect([...toggled(new Set(), "b", ids, "gone")]).toEqual(["b"]);
});
