import { expect, test } from "vitest";
import { toggleId } from "./selection";

const ids = ["a", "b", "c", "d"];

test("with Shift all between become as the one clicked becomes", () => {
  // Else choosing forty papers takes forty clicks.
  expect([...toggleId(new Set(["a"]), "c", ids, "a")]).toEqual(["a", "b", "c"]);
  expect([...toggleId(new Set(["a", "b", "c", "d"]), "b", ids, "d")]).toEqual(["a"]);
  expect([...toggleId(new Set(["x"]), "b", ids)]).toEqual(["x", "b"]);
  expect([...toggleId(new Set(), "b", ids, "gone")]).toEqual(["b"]);
});
