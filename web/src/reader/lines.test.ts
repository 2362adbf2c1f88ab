import { expect, test } from "vitest";
import { type Block, cutText, find, foldText, groupParts, isSameLine, piecesOf, placesOf } from "./lines";

const block = (text: string, ...places: [number, [number, number, number, number]][]): Block => ({
  kind: "paragraph",
  text,
  sentences: [{ start: 0, end: text.length, places: places.map(([page, rect]) => ({ page, rect })), recognised: false }],
  level: 0,
  label: "",
  marks: [],
});

test("the words of a sentence are dealt out to its lines, none lost, none twice", () => {
  // Else what is copied from a page would not be what stands there.
  const text = "Grid cells fire on a lattice while rats run through the arena and theta goes on";
  const pieces = piecesOf([block(text, [1, [100, 10, 300, 20]], [1, [100, 22, 300, 32]], [2, [100, 10, 150, 20]])]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces.map((piece) => piece.page)).toEqual([1, 1, 2]);
  expect(Math.abs(pieces[0]!.text.length - pieces[1]!.text.length)).toBeLessThan(8);
  expect(groupParts(pieces, "page").get(2)).toHaveLength(1);
});

test("two sentences on one line are one line", () => {
  // A copied paragraph would be broken at every full stop.
  const [piece, next] = piecesOf([block("One.", [1, [10, 10, 40, 20]]), block("Two.", [1, [43, 10, 70, 20]])]);
  expect(isSameLine(piece!, next)).toBe(true);
  expect(isSameLine(next!, piece)).toBe(false);
});

test("words are found in any case, with or without accents, over the end of a line", () => {
  // Nobody types a paper's own quotes and dashes.
  const blocks = [block("Müller’s grid–cell layer", [1, [0, 0, 60, 10]], [1, [0, 12, 60, 22]])];
  const folds = blocks.map((block) => foldText(block.text));
  const [hit] = find(folds, "muller's  GRID-CELL");
  expect(hit).toEqual({ block: 0, start: 0, end: 18 });
  expect(placesOf(hit!, groupParts(piecesOf(blocks), "block")).length).toBe(2);
  expect(find(folds, "lll")).toEqual([]);
  expect(find(folds, " ")).toEqual([]);
  expect(find(["a".repeat(20_000)], "a")).toHaveLength(5000);
});

test("a text is cut where something begins or ends", () => {
  // Lit sentences and words found overlap.
  const parts = cutText("abcdef", [
    { start: 1, end: 4, name: "lit" },
    { start: 3, end: 5, name: "found" },
  ]);
  expect(parts.map(({ text, names }) => [text, ...names])).toEqual([["a"], ["bc", "lit"], ["d", "lit", "found"], ["e", "found"], ["f"]]);
});
