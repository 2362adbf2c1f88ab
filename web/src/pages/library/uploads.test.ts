import { expect, test } from "vitest";
import { batches } from "./uploads";

const file = (name: string, size = 10) => ({ name, size }) as File;

test("a few files are a job each; of many none is lost, and they are no more jobs than the server takes", () => {
  // Else a folder of a thousand PDFs would be refused after the first sixty.
  expect(batches([file("a"), file("b")]).map((one) => one.length)).toEqual([1, 1]);
  const many = batches(Array.from({ length: 1003 }, (_, at) => file(`${at}`)));
  expect(many.length).toBeLessThanOrEqual(20);
  expect(many.flat().map((one) => one.name)).toEqual(Array.from({ length: 1003 }, (_, at) => `${at}`));
});

test("large files do not add up to more than one request may have", () => {
  const found = batches([file("a", 60), file("b", 60), file("c", 30), file("d", 200)], 1, 100);
  expect(found.map((one) => one.map(({ name }) => name))).toEqual([["a"], ["b", "c"], ["d"]]);
  expect(batches([])).toEqual([]);
});
